//! Renders a problem for a terminal, as rustc renders errors, with the crate that
//! rustc and cargo use. There are no colours, so that the output can be compared.

use super::{Problem, Severity};
use crate::location::Location;
use crate::syntax::quoted_length;
use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title,
};
use std::ops::Range;

/// How many lines above and below the line of the problem are rendered.
const CONTEXT: usize = 2;

/// How many bytes are rendered at most. A document may be one line of a megabyte,
/// which is not readable; for such a line only line, column and pointer are
/// rendered.
const MAX_EXCERPT: usize = 4000;

/// A text whose lines are known.
pub(super) struct Source<'t> {
    text: &'t str,
    /// Where each line begins, in bytes, and where the text ends.
    lines: Vec<usize>,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let after_breaks = text.match_indices('\n').map(|(offset, _)| offset + 1);
        let starts = std::iter::once(0).chain(after_breaks);
        let lines = starts.chain([text.len()]).collect();
        Source { text, lines }
    }

    /// Renders one problem of this text.
    pub(super) fn render(&self, problem: &'t Problem) -> String {
        let level = match problem.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut report = self.places(
            problem,
            level.primary_title(&problem.message).id(problem.rule),
        );
        if !problem.at.pointer.is_empty() {
            report = report.element(Level::NOTE.message(format!("at {}", problem.at.pointer)));
        }
        report = report.element(Level::HELP.message(&problem.help));
        Renderer::plain().render(&[report])
    }

    /// Adds the lines that the problem is about.
    fn places(&self, problem: &'t Problem, title: Title<'t>) -> Group<'t> {
        let excerpt = self.lines_around(&problem.at);
        if excerpt.len() > MAX_EXCERPT {
            let at = &problem.at;
            return title.element(Origin::path(&*at.file).line(at.line).char_column(at.column));
        }
        let mut main = self
            .snippet(&problem.at, excerpt.clone())
            .annotation(self.mark(&problem.at, AnnotationKind::Primary, &excerpt));
        let mut others = Vec::new();
        for (at, label) in &problem.related {
            let line = self.line(at);
            if excerpt.start <= line.start && line.end <= excerpt.end {
                main = main.annotation(
                    self.mark(at, AnnotationKind::Context, &excerpt)
                        .label(label),
                );
            } else if line.len() <= MAX_EXCERPT {
                let mark = self.mark(at, AnnotationKind::Context, &line).label(label);
                others.push(self.snippet(at, line).annotation(mark));
            }
        }
        title.element(main).elements(others)
    }

    /// Where a line of the text begins; its end for a line it does not have.
    fn line_start(&self, index: usize) -> usize {
        self.lines.get(index).copied().unwrap_or(self.text.len())
    }

    /// The bytes of the line of a place.
    fn line(&self, at: &Location) -> Range<usize> {
        let index = at.line.saturating_sub(1);
        self.line_start(index)..self.line_start(index + 1)
    }

    fn lines_around(&self, at: &Location) -> Range<usize> {
        let index = at.line.saturating_sub(1);
        let around =
            self.line_start(index.saturating_sub(CONTEXT))..self.line_start(index + 1 + CONTEXT);
        if around.len() > MAX_EXCERPT {
            self.line(at)
        } else {
            around
        }
    }

    fn snippet(&self, at: &'t Location, excerpt: Range<usize>) -> Snippet<'t, Annotation<'t>> {
        let above = self.lines.partition_point(|start| *start <= excerpt.start);
        Snippet::source(&self.text[excerpt])
            .line_start(above.max(1))
            .path(&*at.file)
            .fold(false)
    }

    /// Marks a place, in bytes from the beginning of the excerpt.
    fn mark(&self, at: &Location, kind: AnnotationKind, excerpt: &Range<usize>) -> Annotation<'t> {
        let line = self.line(at);
        let token = token(&self.text[line.clone()], at.column);
        let offset = line.start - excerpt.start.min(line.start);
        kind.span(offset + token.start..offset + token.end)
    }
}

/// The bytes of the word that begins at a column: a quoted string, or a plain
/// text up to what ends it.
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
