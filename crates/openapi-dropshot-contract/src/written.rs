//! Names the places of problems as the author wrote them. A document of OpenAPI 3.1 is
//! rewritten before it is read, so that a problem may be found at a keyword that is not in
//! the text. Lines and columns are those of the text; the pointer and the name of the keyword
//! in the message are made so here.

use crate::model::{Document, Location, Node, NodeKind};
use crate::problem::Problem;
use std::{collections::HashMap, fmt::Write as _, sync::Arc};

/// The keywords of the rewritten document, each with those of the text that it may come from.
const KEYWORDS: &[(&str, &[&str])] = &[
    ("enum", &["const", "type", "anyOf", "oneOf"]),
    ("minimum", &["exclusiveMinimum"]),
    ("maximum", &["exclusiveMaximum"]),
    ("example", &["examples"]),
    ("nullable", &["type", "anyOf", "oneOf"]),
    ("format", &["contentEncoding", "contentMediaType"]),
    ("additionalProperties", &["unevaluatedProperties"]),
    ("oneOf", &["type"]),
];

/// The pointers of the values and the names of members at lines and columns, each with its file.
type Places = HashMap<(usize, usize), Vec<(Arc<str>, String)>>;

impl Document {
    /// Gives problems of the document the pointers of the text, and lets their messages name the
    /// keywords of the text. For documents of OpenAPI 3.0 this changes nothing.
    pub fn name_as_written(&self, problems: &mut [Problem]) {
        if let Some(written) = &self.written {
            name_as_written(written, problems);
        }
    }
}

/// The same for a document that may have no model, because it cannot be read.
pub(crate) fn name_as_written(written: &Node, problems: &mut [Problem]) {
    if problems.is_empty() {
        return;
    }
    // Few places of a document have problems, so that the pointers of the others are not kept.
    let own = problems.iter().map(|problem| &problem.at);
    let related = problems.iter().flat_map(|problem| &problem.related);
    let all = own.chain(related.map(|(at, _)| at));
    let mut places: Places = all.map(|at| ((at.line, at.column), Vec::new())).collect();
    collect(written, &mut String::new(), &mut places);
    for problem in problems {
        let rewritten = problem.at.pointer.clone();
        locate(&places, &mut problem.at);
        for (at, _) in &mut problem.related {
            locate(&places, at);
        }
        let (before, after) = (keyword(&rewritten), keyword(&problem.at.pointer));
        let is_renamed = KEYWORDS
            .iter()
            .any(|(new, olds)| *new == before && olds.contains(&after));
        if is_renamed {
            let after = format!("`{after}`");
            let message = problem.message.replace(&format!("`{before}`"), &after);
            problem.message = message.replace(&format!("{before} value"), &after);
        }
    }
}

/// The last name in a pointer that is not an index.
fn keyword(pointer: &str) -> &str {
    let mut tokens = pointer.rsplit('/');
    tokens
        .find(|token| token.parse::<usize>().is_err())
        .unwrap_or_default()
}

fn collect(node: &Node, pointer: &mut String, places: &mut Places) {
    keep(places, &node.at, pointer);
    let length = pointer.len();
    match &node.kind {
        NodeKind::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                // Writing to a string cannot fail.
                write!(pointer, "/{index}").ok();
                collect(item, pointer, places);
                pointer.truncate(length);
            }
        }
        NodeKind::Object(members) => {
            for (name, member) in members {
                pointer.push('/');
                pointer.push_str(&crate::model::escape_pointer_token(name));
                keep(places, &member.key_at, pointer);
                collect(&member.value, pointer, places);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

fn keep(places: &mut Places, at: &Location, pointer: &str) {
    if let Some(pointers) = places.get_mut(&(at.line, at.column)) {
        pointers.push((Arc::clone(&at.file), pointer.to_owned()));
    }
}

fn locate(places: &Places, at: &mut Location) {
    let pointers = places.get(&(at.line, at.column));
    let pointers = pointers.map(Vec::as_slice).unwrap_or_default();
    let in_file = pointers.iter().filter(|(file, _)| *file == at.file);
    let pointers: Vec<&String> = in_file.map(|(_, pointer)| pointer).collect();
    if pointers.contains(&&at.pointer) {
        return;
    }
    // What stands elsewhere and was copied here stays a part of the operation or of the schema
    // that has the problem. An object begins where its first member does; the shortest pointer
    // leads to the object.
    let own = pointers
        .into_iter()
        .filter(|pointer| owner(pointer) == owner(&at.pointer));
    if let Some(pointer) = own.min_by_key(|pointer| pointer.len()) {
        at.pointer.clone_from(pointer);
    }
}

/// The part of a pointer that leads to a component or to an operation.
fn owner(pointer: &str) -> &str {
    let end = pointer.match_indices('/').nth(3);
    end.map_or(pointer, |(end, _)| &pointer[..end])
}
