//! Paths: each variable is described and each description has a variable; no
//! two paths match the same requests.

use crate::model::{Document, Operation, ParameterIn};
use crate::problem::Problem;
use crate::read::{closest, template_variables};
use std::collections::{HashMap, HashSet};

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for operation in &document.operations {
        variables(operation, problems);
    }
    ambiguous(document, problems);
}

fn variables(operation: &Operation, problems: &mut Vec<Problem>) {
    let path = &operation.path;
    let shown = path.value.escape_debug().to_string();
    let in_path: Vec<_> = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.location == ParameterIn::Path)
        .collect();
    let mut variables = HashSet::new();
    for variable in template_variables(&path.value) {
        let name = variable.escape_debug();
        if !variables.insert(variable) {
            let message = format!("`{{{name}}}` stands twice in the path `{shown}`");
            problems.push(Problem::error(
                "path-variable",
                &path.at,
                message,
                "give each variable a name of its own",
            ));
        } else if !in_path
            .iter()
            .any(|parameter| parameter.name.value == variable)
        {
            problems.push(
                Problem::error(
                    "path-variable",
                    &path.at,
                    format!("`{{{name}}}` in the path has no parameter in {}", operation.label()),
                    format!("add to its `parameters`: `name: {name}`, `in: path`, `required: true`, and a schema"),
                )
                .with_related(&operation.at, "in this operation"),
            );
        }
    }
    for parameter in in_path
        .iter()
        .filter(|parameter| !variables.contains(parameter.name.value.as_str()))
    {
        let name = parameter.name.value.escape_debug();
        let help = match closest(&parameter.name.value, variables.iter().copied()) {
            Some(variable) => format!("did you mean `{variable}`?"),
            None => format!("write `{{{name}}}` into the path, or remove the parameter"),
        };
        let message = format!("the path `{shown}` has no `{{{name}}}`");
        problems.push(Problem::error(
            "path-parameter",
            &parameter.name.at,
            message,
            help,
        ));
    }
}

fn ambiguous(document: &Document, problems: &mut Vec<Problem>) {
    let mut seen = HashMap::new();
    for path in document.operations.iter().map(|operation| &operation.path) {
        let first = seen.entry(shape(&path.value)).or_insert(path);
        if first.value != path.value {
            problems.push(
                Problem::error(
                    "ambiguous-paths",
                    &path.at,
                    format!(
                        "`{}` matches the same requests as `{}` of line {}",
                        path.value.escape_debug(),
                        first.value.escape_debug(),
                        first.at.line
                    ),
                    "merge the two, or tell them apart by a literal segment",
                )
                .with_related(&first.at, "matches the same"),
            );
        }
    }
}

/// The path without the names of its variables.
fn shape(path: &str) -> String {
    let mut shape = String::with_capacity(path.len());
    let mut inside = false;
    for character in path.chars() {
        match character {
            '{' => inside = true,
            '}' => {
                inside = false;
                shape.push_str("{}");
            }
            _ if inside => {}
            _ => shape.push(character),
        }
    }
    shape
}
