//! Compares texts that people read. Rust's documentation escapes brackets, joins
//! lines and adds notes, which does not count; lost and changed words count.

/// The rules for one kind of text.
pub(super) struct TextRules {
    /// The words are the same, their form is not.
    pub(super) form: &'static str,
    /// The text of the source is followed by more words.
    pub(super) more: &'static str,
    /// The source has no text.
    pub(super) added: &'static str,
    /// The words are missing or differ.
    pub(super) lost: &'static str,
}

/// How two texts differ, where they do.
pub(super) fn difference(
    rules: &TextRules,
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
