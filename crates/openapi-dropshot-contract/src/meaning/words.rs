//! Texts for people: whether they say the same. Rust's documentation escapes
//! brackets, joins lines and adds notes; words that are lost or changed count.

/// The names of what may differ in one kind of text.
pub(super) struct Rules {
    /// The words are the same, their form is not.
    pub(super) form: &'static str,
    /// There are more words behind those of the source.
    pub(super) more: &'static str,
    /// There are words where the source has none.
    pub(super) added: &'static str,
    /// There are no words, or others.
    pub(super) lost: &'static str,
}

/// How two texts differ, where they do.
pub(super) fn difference(
    rules: &Rules,
    source: Option<&str>,
    emitted: Option<&str>,
) -> Option<(&'static str, String)> {
    let (source, emitted) = (source.unwrap_or_default(), emitted.unwrap_or_default());
    if source.trim() == emitted.trim() {
        return None;
    }
    let (plain_source, plain_emitted) = (plain(source), plain(emitted));
    let rule = if plain_source == plain_emitted {
        rules.form
    } else if plain_source.is_empty() {
        rules.added
    } else if plain_emitted.starts_with(&plain_source) {
        rules.more
    } else {
        rules.lost
    };
    let message = format!("{:?} became {:?}", shortened(source), shortened(emitted));
    Some((rule, message))
}

/// The words and signs alone: without white space, escapes and fences, and
/// without the angle brackets of links.
fn plain(text: &str) -> String {
    let text = text.replace("```text", "").replace("```", "");
    text.chars()
        .filter(|letter| !letter.is_whitespace() && !['\\', '<', '>'].contains(letter))
        .collect()
}

/// The beginning of a text, for messages.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
