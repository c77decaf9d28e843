//! Parses a text into the untyped tree of [`Node`]s: YAML 1.2 with the core schema, or JSON. Every
//! value and every name has a place. The depth, the length of names and the number of values that
//! aliases add are bounded for every input.

mod json;
mod scalar;
mod tree;

use crate::model::{Location, Node};
use crate::problem::Problem;
use crate::rules::document::SYNTAX;
use saphyr_parser::{Marker, Parser};
use std::{borrow::Cow, sync::Arc};

/// How deep objects and arrays may be nested.
pub(crate) const MAX_DEPTH: usize = 128;

/// The maximum length of a JSON pointer. Every value stores its pointer, so this bounds the memory
/// for long nested names.
const MAX_POINTER: usize = 2048;

/// The result of parsing: the tree, where one could be made, and the problems.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// The tree. If there are problems, the parts that the problems describe are missing.
    pub(crate) root: Option<Node>,
    /// What is wrong with the text.
    pub(crate) problems: Vec<Problem>,
}

/// A problem that stops parsing.
type Fatal = Box<Problem>;

/// Parses a text as JSON or as YAML.
///
/// A file whose name ends in `.json` is parsed only as JSON. Any other text that begins like JSON
/// is parsed as JSON first, because YAML parsers do not support some of its escapes and have less
/// exact messages.
pub(crate) fn parse(file: &Arc<str>, text: &str) -> Parsed {
    let is_json = file.to_ascii_lowercase().ends_with(".json");
    if !is_json && !text.trim_start().starts_with(['{', '[']) {
        return yaml(file, text);
    }
    let as_json = tree::build(file, json::Events::new(file, text));
    if is_json || as_json.root.is_some() {
        return as_json;
    }
    // A flow mapping such as `{openapi: 3.0.3}` is YAML, but not JSON.
    let as_yaml = yaml(file, text);
    if as_yaml.root.is_some() {
        as_yaml
    } else {
        as_json
    }
}

/// The text without a byte order mark. Editors do not count the mark as a column.
pub(crate) fn without_byte_order_mark(text: &str) -> Arc<str> {
    Arc::from(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// How many times lines with a closing bracket are indented further, so that the parser accepts
/// them.
const MOST_BRACKETS: usize = 16;

fn yaml(file: &Arc<str>, text: &str) -> Parsed {
    let mut text = Cow::Borrowed(text);
    for _ in 0..MOST_BRACKETS {
        let parsed = yaml_as_it_is(file, &text);
        match parsed
            .problems
            .first()
            .and_then(|problem| with_indented_bracket(&text, problem))
        {
            Some(changed) if parsed.root.is_none() => text = Cow::Owned(changed),
            _ => return parsed,
        }
    }
    yaml_as_it_is(file, &text)
}

/// Indents a line by one more character if the parser stopped there at a closing bracket. YAML 1.2
/// requires the bracket to be indented deeper than the name of the member, but most parsers do not.
fn with_indented_bracket(text: &str, problem: &Problem) -> Option<String> {
    let start = text
        .split_inclusive('\n')
        .take(problem.at.line - 1)
        .map(str::len)
        .sum();
    let line = text.get(start..)?;
    let is_bracket = line.trim_start_matches(' ').starts_with(['}', ']']);
    is_bracket.then(|| {
        let (before, after) = text.split_at(start);
        format!("{before} {after}")
    })
}

fn yaml_as_it_is(file: &Arc<str>, text: &str) -> Parsed {
    let events = Parser::new_from_str(text).map(|event| match event {
        Ok((event, span)) => Ok((event, span.start)),
        Err(error) => {
            let at = place(file, error.marker(), String::new());
            Err(Box::new(SYNTAX.violation(&at, error.info())))
        }
    });
    tree::build(file, events)
}

/// Converts the parser's marker, which counts columns from 0, to a place.
fn place(file: &Arc<str>, marker: &Marker, pointer: String) -> Location {
    Location {
        file: Arc::clone(file),
        line: marker.line().max(1),
        column: marker.col() + 1,
        pointer,
        written: None,
    }
}
