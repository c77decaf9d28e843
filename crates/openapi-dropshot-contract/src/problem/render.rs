//! Renders a problem for a terminal in the format of rustc, with the crate that rustc and cargo
//! use. The output has no colours, so that it can be compared.

use super::{Problem, Severity};
use crate::location::Location;
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title,
};
use std::ops::Range;

/// How many lines above and below the line of the problem are rendered.
const CONTEXT: usize = 2;

/// The maximum number of bytes that are rendered. A document may be one line of a megabyte, which
/// is not readable. For such a line, only line, column and pointer are rendered.
const MAX_EXCERPT: usize = 4000;

/// A text and the beginnings of its lines.
pub(super) struct Source<'t> {
    text: &'t str,
    /// The byte at which each line begins, and at which the text ends.
    lines: Vec<usize>,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(offset, _)| offset + 1);
        let starts = std::iter::once(0).chain(after_breaks);
        let lines = starts.chain([text.len()]).collect();
        Source { text, lines }
    }

    /// Returns the range of bytes of these lines, as far as the text has them.
    fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        let start = |line: usize| self.lines.get(line).copied().unwrap_or(self.text.len());
        start(lines.start)..start(lines.end)
    }

    fn snippet(&self, at: &'t Location, lines: &Range<usize>) -> Snippet<'t, Annotation<'t>> {
        Snippet::source(&self.text[self.bytes(lines)])
            .line_start(lines.start + 1)
            .path(&*at.file)
            .fold(false)
    }

    /// Marks a place. Its range is counted in bytes from the beginning of the rendered lines.
    fn mark(&self, at: &Location, kind: AnnotationKind, lines: &Range<usize>) -> Annotation<'t> {
        let line = self.bytes(&line_of(at));
        let token = token(&self.text[line.clone()], at.column);
        let offset = line.start - self.bytes(lines).start;
        kind.span(offset + token.start..offset + token.end)
    }
}

/// Renders one problem. `source` returns the text of the file that contains a place.
pub(super) fn render<'t>(
    problem: &'t Problem,
    source: &impl Fn(&Location) -> &'t Source<'t>,
) -> String {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(&problem.message).id(problem.rule);
    let mut report = places(problem, source, title);
    if !problem.at.pointer.is_empty() {
        report = report.element(Level::NOTE.message(format!("at {}", problem.at.pointer)));
    }
    report = report.element(Level::HELP.message(&problem.help));
    Renderer::plain().render(&[report])
}

/// Adds the source lines of the problem.
fn places<'t>(
    problem: &'t Problem,
    source: &impl Fn(&Location) -> &'t Source<'t>,
    title: Title<'t>,
) -> Group<'t> {
    let at = &problem.at;
    let own = source(at);
    let line = line_of(at);
    let mut excerpt = line.start.saturating_sub(CONTEXT)..line.end + CONTEXT;
    if own.bytes(&excerpt).len() > MAX_EXCERPT {
        excerpt = line;
    }
    if own.bytes(&excerpt).len() > MAX_EXCERPT {
        return title.element(Origin::path(&*at.file).line(at.line).char_column(at.column));
    }
    let mark = own.mark(at, AnnotationKind::Primary, &excerpt);
    let mut main = own.snippet(at, &excerpt).annotation(mark);
    let mut others = Vec::new();
    for (other, label) in &problem.related {
        let line = line_of(other);
        let source = source(other);
        if other.file == at.file && excerpt.contains(&line.start) {
            let mark = own.mark(other, AnnotationKind::Context, &excerpt);
            main = main.annotation(mark.label(label));
        } else if source.bytes(&line).len() <= MAX_EXCERPT {
            let mark = source.mark(other, AnnotationKind::Context, &line);
            others.push(source.snippet(other, &line).annotation(mark.label(label)));
        }
    }
    title.element(main).elements(others)
}

/// Returns the index of the line of a place, as a range that contains only this line.
fn line_of(at: &Location) -> Range<usize> {
    let index = at.line.saturating_sub(1);
    index..index + 1
}

/// Returns the bytes of the word that begins at a column: a quoted string, or plain text up to the
/// character that ends it.
fn token(line: &str, column: usize) -> Range<usize> {
    let line = line.trim_end_matches(['\n', '\r']);
    let start = line
        .char_indices()
        .nth(column.saturating_sub(1))
        .map_or(line.len(), |(offset, _)| offset);
    let rest = &line[start..];
    let length = match rest.chars().next() {
        Some(quote @ ('"' | '\'')) => quoted_length(rest, quote),
        Some('{' | '[' | '}' | ']' | ',' | ':') => 1,
        Some(_) => plain(rest),
        None => 0,
    };
    start..start + length
}

fn plain(rest: &str) -> usize {
    let ends = [": ", " #", ", ", "]", "}"]
        .into_iter()
        .filter_map(|end| rest.find(end));
    let word = rest[..ends.min().unwrap_or(rest.len())].trim_end();
    let word = word.strip_suffix([':', ',']).unwrap_or(word);
    word.len()
        .max(rest.chars().next().map_or(0, char::len_utf8))
}

/// Returns the length in bytes of the quoted string at the start of a text, with its quotes.
pub(crate) fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (offset, character) in text.char_indices().skip(1) {
        match character {
            '\\' if quote == '"' => is_escaped = !is_escaped,
            _ if character == quote && !is_escaped => return offset + 1,
            _ => is_escaped = false,
        }
    }
    text.len()
}
