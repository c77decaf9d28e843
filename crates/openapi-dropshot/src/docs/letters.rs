//! Replaces the characters of a document that a source file must not have.

/// Line ends, tabs and characters that no source file should have.
pub(super) fn normalised(text: &str) -> String {
    let text = text
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\t', "    ");
    let clean: String = text
        .chars()
        .map(|letter| {
            if letter == '\n' {
                letter
            } else {
                visible(letter)
            }
        })
        .collect();
    let lines: Vec<&str> = clean.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// A letter as a comment may have it.
pub(super) fn visible(letter: char) -> char {
    match letter {
        // Directions that hide what a source file says; the compiler rejects them.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        '\u{2028}' | '\u{2029}' | '\u{85}' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

/// Words of the document on one line, without what no source file should have.
pub(crate) fn one_line(words: &str) -> String {
    folded(&normalised(words))
}

/// A value in code marks, for documentation.
pub(crate) fn code(value: &str) -> String {
    let plain: String = value
        .chars()
        .map(|letter| match letter {
            '`' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\u{fffd}',
            letter => visible(letter),
        })
        .collect();
    if plain.trim().is_empty() {
        format!("{value:?}")
    } else {
        format!("`{plain}`")
    }
}

/// White space made single.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
