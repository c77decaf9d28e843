//! Operations among themselves: ids that are unique, tags that are declared,
//! bodies where HTTP has none.

use crate::model::{Document, Method};
use crate::problem::Problem;
use std::collections::{HashMap, HashSet};

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    unique_ids(document, problems);
    declared_tags(document, problems);
    bodies(document, problems);
}

fn unique_ids(document: &Document, problems: &mut Vec<Problem>) {
    let mut seen = HashMap::new();
    for id in document
        .operations
        .iter()
        .filter_map(|operation| operation.id.as_ref())
    {
        if id.value.is_empty() {
            let message = "the operation id is empty";
            problems.push(Problem::error(
                "empty-operation-id",
                &id.at,
                message,
                "write a name such as `listBooks`",
            ));
            continue;
        }
        let first = seen.entry(id.value.as_str()).or_insert(&id.at);
        if !std::ptr::eq(*first, &id.at) {
            let shown = id.value.escape_debug();
            problems.push(
                Problem::error(
                    "duplicate-operation-id",
                    &id.at,
                    format!(
                        "the operation id `{shown}` is taken, first at line {}, column {}",
                        first.line, first.column
                    ),
                    "give each operation an id of its own",
                )
                .with_related(first, "first used here"),
            );
        }
    }
}

fn declared_tags(document: &Document, problems: &mut Vec<Problem>) {
    let declared: HashSet<_> = document.tags.iter().map(|tag| tag.name.as_str()).collect();
    for operation in &document.operations {
        for (index, tag) in operation
            .tags
            .iter()
            .enumerate()
            .filter(|(_, tag)| !declared.contains(tag.as_str()))
        {
            let pointer = format!("{}/tags/{index}", operation.at.pointer);
            let at = document
                .root
                .pointer(&pointer)
                .map_or(&operation.at, |node| &node.at);
            let message = format!("the tag `{}` is not declared", tag.escape_debug());
            let help = "list it in `tags` of the document, with a description";
            problems.push(Problem::warning("undeclared-tag", at, message, help));
        }
    }
}

/// RFC 9110, section 9.3: a body of these methods has no meaning.
fn bodies(document: &Document, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        if let Some(body) = &operation.request_body
            && matches!(
                operation.method,
                Method::Get | Method::Head | Method::Delete | Method::Trace
            )
        {
            let message = format!("a body of {} has no meaning in HTTP", operation.method);
            problems.push(Problem::warning(
                "meaningless-body",
                &body.at,
                message,
                "use parameters, or another method",
            ));
        }
    }
}
