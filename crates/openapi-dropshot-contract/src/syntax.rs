//! Parses a text into the untyped tree of [`Node`]s: YAML 1.2 with the core
//! schema, or JSON. Every value and every name has a place. Depth, lengths and
//! the number of values are bounded, whatever the text is.

mod alias;
mod json;
mod scalar;
mod yaml;

use crate::model::{Location, Node, escape_pointer_token};
use crate::problem::Problem;
use crate::rules::document as rules;
use std::sync::Arc;

/// How deep objects and arrays may be nested.
pub(crate) const MAX_DEPTH: usize = 128;

/// How long a JSON pointer may become. Every value keeps its pointer, so this
/// bounds the memory that long names take when they are nested.
const MAX_POINTER: usize = 2048;

/// The result of parsing: the tree, where one could be made, and the problems.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    /// The tree. With problems beside it, it lacks what these problems name.
    pub(crate) root: Option<Node>,
    /// What is wrong with the text.
    pub(crate) problems: Vec<Problem>,
}

impl Parsed {
    fn failed(problem: Problem) -> Self {
        Parsed {
            root: None,
            problems: vec![problem],
        }
    }
}

/// Parses a text as JSON or as YAML.
///
/// A file named `….json` is JSON and nothing else. Any other text that begins
/// as JSON does is parsed as JSON first: YAML readers do not support some of its
/// escapes, and their messages are less exact.
pub(crate) fn parse(file: &Arc<str>, text: &str) -> Parsed {
    if file.to_ascii_lowercase().ends_with(".json") {
        return json::parse(file, text);
    }
    if text.trim_start().starts_with(['{', '[']) {
        let as_json = json::parse(file, text);
        if as_json.root.is_some() {
            return as_json;
        }
        // A flow mapping such as `{openapi: 3.0.3}` is YAML only.
        let as_yaml = yaml::parse(file, text);
        return if as_yaml.root.is_some() {
            as_yaml
        } else {
            as_json
        };
    }
    yaml::parse(file, text)
}

/// The pointer of a member or element, or `None` where it grows too long.
fn child_pointer(parent: &str, token: &str) -> Option<String> {
    let token = escape_pointer_token(token);
    if parent.len() + 1 + token.len() > MAX_POINTER {
        return None;
    }
    Some(format!("{parent}/{token}"))
}

fn too_deep(at: &Location) -> Problem {
    let message = format!("nested more than {MAX_DEPTH} levels deep");
    let help = "give inner schemas a name under `components.schemas` and refer to them";
    rules::NESTING_TOO_DEEP.problem(at, message, help)
}

fn too_long(at: &Location) -> Problem {
    let message = format!("the names that lead here are longer than {MAX_POINTER} bytes together");
    rules::NAME_TOO_LONG.problem(at, message, "use shorter names, or nest less deeply")
}

fn duplicate_member(name: &str, first: &Location, second: &Location) -> Problem {
    let message = format!(
        "this object has `{}` twice, first at line {}, column {}",
        name.escape_debug(),
        first.line,
        first.column
    );
    let problem = rules::DUPLICATE_MEMBER.problem(second, message, "remove or rename one of them");
    problem.with_related(first, "first written here")
}
