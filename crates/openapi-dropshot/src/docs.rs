//! Turns descriptions of the document into Rust documentation: the same words,
//! escaped for rustdoc, which would take `[x]` for a link, `<T>` for HTML and
//! indented lines for a test.

mod letters;

pub(crate) use letters::{code, one_line};

use letters::{folded, normalised, visible};
use proc_macro2::TokenStream;
use quote::quote;

/// Documentation of an item: attributes for rustdoc, and the words of the
/// document for the schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Docs {
    /// A text of the document.
    pub(crate) description: Option<String>,
    /// Paragraphs of the generator that follow the description, or replace it if there is none.
    paragraphs: Vec<String>,
    /// Notes of the generator that end the documentation, also if there is a description.
    notes: Vec<String>,
}

impl Docs {
    /// The description of the document, or our own words where it has none.
    pub(crate) fn new(description: Option<&str>, otherwise: impl Into<String>) -> Self {
        let description = description.map(normalised).filter(|text| !text.is_empty());
        let paragraphs = if description.is_none() {
            vec![otherwise.into()]
        } else {
            Vec::new()
        };
        Docs {
            description,
            paragraphs,
            notes: Vec::new(),
        }
    }

    /// Our own words, whatever the document says.
    pub(crate) fn own(words: impl Into<String>) -> Self {
        Docs {
            description: None,
            paragraphs: vec![words.into()],
            notes: Vec::new(),
        }
    }

    /// Words of the document that stand here for the reader only: those of a
    /// schema that is referred to.
    pub(crate) fn borrowed(mut self) -> Self {
        if let Some(description) = self.description.take() {
            self.paragraphs.insert(0, harmless(&description));
        }
        self
    }

    /// Adds a paragraph of ours, in Markdown.
    #[must_use]
    pub(crate) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The lines of the documentation.
    pub(crate) fn lines(&self) -> Vec<String> {
        let description = self.description.as_deref().map(harmless);
        let text = description
            .iter()
            .chain(&self.paragraphs)
            .chain(&self.notes)
            .cloned()
            .collect::<Vec<_>>();
        text.join("\n\n").lines().map(str::to_owned).collect()
    }

    /// The attributes for rustdoc.
    pub(crate) fn attributes(&self) -> TokenStream {
        doc_attributes(&self.lines())
    }

    /// The description that the schema gets, where it is not the one that
    /// schemars makes of the documentation by itself.
    pub(crate) fn schema_description(&self) -> Option<String> {
        let lines = self.lines();
        let derived = lines.join("\n");
        let wanted = self.description.clone().unwrap_or_default();
        let plain = !wanted.starts_with('#')
            && !wanted.lines().any(|line| {
                line.starts_with([' ', '-', '*', '+', '|', '>']) || starts_with_number(line)
            });
        (!(plain && folded(&derived) == folded(&wanted))).then_some(wanted)
    }
}

/// `#[doc]` attributes, which the printer writes as `///`.
pub(crate) fn doc_attributes(lines: &[String]) -> TokenStream {
    let lines = lines.iter().map(|line| {
        if line.is_empty() {
            String::new()
        } else {
            format!(" {}", line.chars().map(visible).collect::<String>())
        }
    });
    quote!(#(#[doc = #lines])*)
}

fn starts_with_number(line: &str) -> bool {
    let rest = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(['.', ')'])
}

/// Markdown that rustdoc renders as intended and never runs.
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
            out.push(format!(
                "{}{mark}{}",
                " ".repeat(indent),
                language(&content[mark.len()..])
            ));
            fence = Some(mark.to_owned());
            continue;
        }
        if content.is_empty() {
            flush(&mut paragraph, &mut out);
            out.push(String::new());
            continue;
        }
        let marker = list_marker(content);
        let beside = list.map_or(0, |offset| offset);
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
                let at = if list.is_some() {
                    indent.min(beside + 3)
                } else {
                    indent.min(3)
                };
                list = Some(at + width);
                at
            }
            (None, Some(offset)) if indent == 0 && paragraph.is_empty() => {
                let _ = offset;
                list = None;
                0
            }
            (None, Some(offset)) => indent.min(offset),
            (None, None) => indent.min(3),
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

/// Ends a block of indented code; empty lines after it stay outside.
fn end_code(code: &mut bool, out: &mut Vec<String>) {
    if !std::mem::take(code) {
        return;
    }
    let mut end = out.len();
    while end > 0 && out[end - 1].is_empty() {
        end -= 1;
    }
    out.insert(end, "```".to_owned());
}

fn flush(paragraph: &mut Vec<String>, out: &mut Vec<String>) {
    if !paragraph.is_empty() {
        let text = inline(&paragraph.join("\n"));
        out.extend(text.lines().map(str::to_owned));
        paragraph.clear();
    }
}

/// The marks that open or close a block of code.
fn fence_of(content: &str) -> Option<&str> {
    let mark = content
        .chars()
        .next()
        .filter(|mark| matches!(mark, '`' | '~'))?;
    let length = content.len() - content.trim_start_matches(mark).len();
    let rest = &content[length..];
    (length >= 3 && !(mark == '`' && rest.contains('`'))).then(|| &content[..length])
}

/// The language of a block of code; `text` where rustdoc would read Rust.
fn language(info: &str) -> String {
    let word: String = info
        .trim()
        .chars()
        .take_while(|letter| letter.is_ascii_alphanumeric() || "-+#._".contains(*letter))
        .collect();
    const RUST: &[&str] = &[
        "",
        "rust",
        "rs",
        "should_panic",
        "no_run",
        "ignore",
        "compile_fail",
        "test_harness",
    ];
    let rust =
        RUST.contains(&word.as_str()) || word.starts_with("edition") || word.starts_with("ignore-");
    if rust || word.starts_with('.') {
        "text".to_owned()
    } else {
        word
    }
}

/// The width of the mark of a list item and the space after it.
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

/// Escapes what would be a link, HTML, or an open code span.
fn inline(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut taken = first.len_utf8();
        match first {
            '\\' => {
                let next = rest[1..].chars().next().filter(char::is_ascii_punctuation);
                taken += next.map_or(0, char::len_utf8);
                out.push_str(&rest[..taken]);
            }
            '`' => {
                let run = rest.len() - rest.trim_start_matches('`').len();
                match closing_run(&rest[run..], run) {
                    Some(end) => {
                        taken = run + end + run;
                        out.push_str(&rest[..taken]);
                    }
                    None => {
                        taken = run;
                        out.push_str(&"\\`".repeat(run));
                    }
                }
            }
            '<' => match autolink(rest) {
                Some(length) => {
                    taken = length;
                    out.push_str(&rest[..taken]);
                }
                None => out.push_str("\\<"),
            },
            '[' => match web_link(rest) {
                Some(length) => {
                    taken = length;
                    out.push_str(&rest[..taken]);
                }
                None => out.push_str("\\["),
            },
            ']' => out.push_str("\\]"),
            'h' if bare_url(rest).is_some()
                && !out.ends_with(|before: char| before.is_alphanumeric()) =>
            {
                taken = bare_url(rest).unwrap_or(1);
                out.push('<');
                out.push_str(&rest[..taken]);
                out.push('>');
            }
            other => out.push(other),
        }
        rest = &rest[taken..];
    }
    out
}

/// The position of the run of backticks that closes one of this length.
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

#[cfg(test)]
mod tests;
