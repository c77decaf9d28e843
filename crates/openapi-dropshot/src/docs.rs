//! Converts descriptions of the document to Rust documentation. The words stay the same, but are
//! escaped for rustdoc, which would read `[x]` as a link, `<T>` as HTML and indented lines as a
//! test.

use openapi_dropshot_contract::model::StatusCode;
use proc_macro2::TokenStream;
use quote::quote;

/// The documentation of an item: attributes for rustdoc, and the text of the document for the
/// schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Docs {
    /// The text of the document.
    pub(crate) description: Option<String>,
    /// Paragraphs that the generator adds after the description.
    paragraphs: Vec<String>,
}

impl Docs {
    /// The description in the document, or a text of the generator if there is none.
    pub(crate) fn new(description: Option<&str>, otherwise: impl Into<String>) -> Self {
        let description = description.map(normalised).filter(|text| !text.is_empty());
        if description.is_none() {
            return Docs::own(otherwise);
        }
        Docs {
            description,
            paragraphs: Vec::new(),
        }
    }

    /// A text of the generator, regardless of the document.
    pub(crate) fn own(words: impl Into<String>) -> Self {
        Docs::default().with_note(words)
    }

    /// Uses the text only in the documentation, not in the schema, because it belongs to a
    /// referenced schema.
    pub(crate) fn borrowed(mut self) -> Self {
        if let Some(description) = self.description.take() {
            self.paragraphs.insert(0, harmless(&description));
        }
        self
    }

    /// Adds a paragraph of the generator, in Markdown.
    #[must_use]
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.paragraphs.push(note.into());
        self
    }

    /// The lines of the documentation.
    fn lines(&self) -> Vec<String> {
        let description = self.description.as_deref().map(harmless);
        let texts = description.iter().chain(&self.paragraphs);
        let text: Vec<&str> = texts.map(String::as_str).collect();
        text.join("\n\n").lines().map(str::to_owned).collect()
    }

    /// The attributes for rustdoc.
    pub(crate) fn attributes(&self) -> TokenStream {
        doc_attributes(&self.lines())
    }

    /// Returns the attribute with the description for schemars, if schemars would make another
    /// description from the documentation.
    pub(crate) fn description_attribute(&self) -> Option<TokenStream> {
        let derived = self.lines().join(" ");
        let wanted = self.description.as_deref().unwrap_or_default();
        let plain = !wanted.starts_with('#')
            && !wanted.lines().any(|line| {
                line.starts_with([' ', '-', '*', '+', '|', '>']) || starts_with_number(line)
            });
        (!plain || folded(&derived) != folded(wanted)).then(|| quote!(description = #wanted))
    }
}

/// `#[doc]` attributes, which the printer writes as `///`.
pub(crate) fn doc_attributes(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| {
        let space = if line.is_empty() { "" } else { " " };
        format!("{space}{}", line.chars().map(visible).collect::<String>())
    });
    quote!(#(#[doc = #lines])*)
}

fn starts_with_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')'])
}

/// Returns Markdown that rustdoc renders as intended and never runs as a test.
pub(crate) fn harmless(text: &str) -> String {
    let text = normalised(text);
    let mut out: Vec<String> = Vec::new();
    let mut paragraph: Vec<String> = Vec::new();
    let mut fence: Option<String> = None;
    let mut list: Option<usize> = None;
    let mut code = false;
    for line in text.lines() {
        if let Some(open) = &fence {
            let closes = line.trim().starts_with(open.as_str())
                && line.trim().chars().all(|mark| open.starts_with(mark));
            out.push(line.to_owned());
            if closes {
                fence = None;
            }
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let content = line.trim_start();
        if let Some(mark) = fence_of(content) {
            flush(&mut paragraph, &mut out);
            end_code(&mut code, &mut out);
            let (space, language) = (" ".repeat(indent), language(&content[mark.len()..]));
            out.push(format!("{space}{mark}{language}"));
            fence = Some(mark.to_owned());
            continue;
        }
        if content.is_empty() {
            flush(&mut paragraph, &mut out);
            out.push(String::new());
            continue;
        }
        let marker = list_marker(content);
        if paragraph.is_empty() && indent >= 4 && marker.is_none() && list.is_none() {
            if !code {
                out.push("```text".to_owned());
                code = true;
            }
            out.push(line[4..].to_owned());
            continue;
        }
        end_code(&mut code, &mut out);
        let indent = match (marker, list) {
            (Some(width), _) => {
                flush(&mut paragraph, &mut out);
                let indent = indent.min(list.unwrap_or(0) + 3);
                list = Some(indent + width);
                indent
            }
            (None, Some(_)) if indent == 0 && paragraph.is_empty() => {
                list = None;
                0
            }
            (None, offset) => indent.min(offset.unwrap_or(3)),
        };
        paragraph.push(format!("{}{content}", " ".repeat(indent)));
    }
    flush(&mut paragraph, &mut out);
    end_code(&mut code, &mut out);
    if let Some(mark) = fence {
        out.push(mark);
    }
    out.join("\n")
}

/// Ends a block of indented code. Empty lines at its end do not belong to it.
fn end_code(code: &mut bool, out: &mut Vec<String>) {
    if !std::mem::take(code) {
        return;
    }
    let last = out.iter().rposition(|line| !line.is_empty());
    out.insert(last.map_or(0, |last| last + 1), "```".to_owned());
}

fn flush(paragraph: &mut Vec<String>, out: &mut Vec<String>) {
    if !paragraph.is_empty() {
        let text = inline(&paragraph.join("\n"));
        out.extend(text.lines().map(str::to_owned));
        paragraph.clear();
    }
}

/// The characters that open or close a fenced code block.
fn fence_of(content: &str) -> Option<&str> {
    let mark = content.chars().next()?;
    let length = content.len() - content.trim_start_matches(mark).len();
    let rest = &content[length..];
    let is_fence = mark == '~' || (mark == '`' && !rest.contains('`'));
    (length >= 3 && is_fence).then(|| &content[..length])
}

/// The language of a code block; `text` if rustdoc would treat the block as Rust.
fn language(info: &str) -> String {
    let is_of_word = |letter: &char| letter.is_ascii_alphanumeric() || "-+#._".contains(*letter);
    let word: String = info.trim().chars().take_while(is_of_word).collect();
    let rust = matches!(
        word.as_str(),
        "" | "rust" | "rs" | "should_panic" | "no_run" | "ignore" | "compile_fail" | "test_harness"
    ) || word.starts_with("edition")
        || word.starts_with("ignore-");
    match rust || word.starts_with('.') {
        true => "text".to_owned(),
        false => word,
    }
}

/// The width of a list marker and the space after it.
fn list_marker(content: &str) -> Option<usize> {
    let rest = match content.chars().next()? {
        '-' | '*' | '+' => &content[1..],
        digit if digit.is_ascii_digit() && starts_with_number(content) => content
            .trim_start_matches(|digit: char| digit.is_ascii_digit())
            .get(1..)?,
        _ => return None,
    };
    let space = rest.len() - rest.trim_start().len();
    (space > 0).then_some(content.len() - rest.len() + space.min(4))
}

/// Escapes text that would be a link, HTML, or an unclosed code span.
fn inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches('`').len();
        // The length of the text that is kept unchanged. Everything else is escaped.
        let kept = match first {
            '\\' => {
                let next = rest[1..].chars().next().filter(char::is_ascii_punctuation);
                Some(1 + next.map_or(0, char::len_utf8))
            }
            '`' => closing_run(&rest[run..], run).map(|end| run + end + run),
            '<' => autolink(rest),
            '[' => web_link(rest),
            ']' => None,
            other => Some(other.len_utf8()),
        };
        let is_start = !out.ends_with(char::is_alphanumeric);
        let taken = if let Some(length) = bare_url(rest).filter(|_| is_start) {
            out.push_str(&format!("<{}>", &rest[..length]));
            length
        } else if let Some(length) = kept {
            out.push_str(&rest[..length]);
            length
        } else {
            let length = run.max(1);
            out.extend(rest[..length].chars().flat_map(|mark| ['\\', mark]));
            length
        };
        rest = &rest[taken..];
    }
    out
}

/// The position of the closing run of backticks of this length.
fn closing_run(text: &str, length: usize) -> Option<usize> {
    let mut from = 0;
    while let Some(start) = text[from..].find('`').map(|start| start + from) {
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        if run == length {
            return Some(start);
        }
        from = start + run;
    }
    None
}

/// The length of `<https://…>`.
fn autolink(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find(['>', ' ', '\n', '<'])?;
    (is_web(&inner[..end]) && inner[end..].starts_with('>')).then_some(end + 2)
}

/// The length of `[text](https://…)`.
fn web_link(text: &str) -> Option<usize> {
    let close = text.find(']')?;
    if text[1..close].contains(['[', '\n', '`', '<']) {
        return None;
    }
    let target = text[close + 1..].strip_prefix('(')?;
    let end = target.find([')', ' ', '\n', '<', '('])?;
    (is_web(&target[..end]) && target[end..].starts_with(')')).then_some(close + 2 + end + 1)
}

/// The length of a bare web address.
fn bare_url(text: &str) -> Option<usize> {
    if !text.starts_with("http") {
        return None;
    }
    let end = text
        .find(|letter: char| letter.is_whitespace() || "<>\"`[]{}|\\^".contains(letter))
        .unwrap_or(text.len());
    let address = text[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '*', '_']);
    is_web(address).then_some(address.len())
}

fn is_web(address: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| {
        address.strip_prefix(scheme).is_some_and(|rest| {
            rest.starts_with(|first: char| first.is_ascii_alphanumeric())
                && !address.contains(|letter: char| letter.is_whitespace() || letter.is_control())
        })
    })
}

/// Normalises line endings, and replaces tabs and characters that must not be in source files.
fn normalised(text: &str) -> String {
    let text = text
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\t', "    ");
    let lines = text.split('\n').map(|line| {
        let line: String = line.chars().map(visible).collect();
        line.trim_end().to_owned()
    });
    let lines: Vec<String> = lines.collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Replaces a character that must not be in a comment.
fn visible(letter: char) -> char {
    match letter {
        // Characters that change the writing direction can hide code; the compiler rejects them.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        '\u{2028}' | '\u{2029}' | '\u{85}' => ' ',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

/// Returns text of the document on one line, without characters that must not be in source files.
pub(crate) fn one_line(words: &str) -> String {
    folded(&normalised(words))
}

/// The line of documentation about a response: its status and its description.
pub(crate) fn status_line(status: StatusCode, description: &str) -> String {
    let text = harmless(&one_line(description));
    match text.is_empty() {
        true => status.to_string(),
        false => format!("{status}: {text}"),
    }
}

/// Formats a value as a code span for documentation.
pub(crate) fn code(value: &str) -> String {
    let plain = value.chars().map(|letter| match letter {
        '`' | '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\u{fffd}',
        letter => visible(letter),
    });
    let plain: String = plain.collect();
    match plain.trim().is_empty() {
        true => format!("{value:?}"),
        false => format!("`{plain}`"),
    }
}

/// Replaces each sequence of white space with one space.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
