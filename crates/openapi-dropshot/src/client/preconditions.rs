//! Reports the parts of the document that progenitor would panic at, drop or misread. Names of types are checked in
//! [`super::names`].

mod content;
mod parameters;

use super::names::{folded, is_taken};
use openapi_dropshot_contract::{
    Problem,
    model::{Document, Location, Operation, ParameterIn, Schema, Spanned},
};
use std::collections::BTreeMap;

/// Methods that the client has already, or that progenitor's client has, and `error`: the builder of such an operation
/// would be taken for the error of the crate.
const CLIENT_METHODS: [&str; 8] = [
    "base_url",
    "builder",
    "clone",
    "deprecated_calls",
    "error",
    "execute",
    "new",
    "request",
];

/// Everything in the operations of the document that the client cannot express.
pub(super) fn check(document: &Document) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut ids: BTreeMap<String, &Spanned<String>> = BTreeMap::new();
    for operation in &document.operations {
        let Some(id) = &operation.id else {
            problems.push(Problem::error(
                "missing-operation-id",
                &operation.at,
                format!(
                    "{} has no `operationId`, which names its method",
                    operation.label()
                ),
                "add an `operationId`, such as `listBooks`",
            ));
            continue;
        };
        if is_taken(&id.value)
            || CLIENT_METHODS
                .iter()
                .any(|name| folded(name) == folded(&id.value))
        {
            problems.push(Problem::error(
                "client-name-reserved",
                &id.at,
                format!(
                    "an operation cannot be called `{}`: the client has that name already",
                    id.value
                ),
                "use a verb and what it is applied to, such as `listBooks`",
            ));
        }
        if let Some(other) = ids.insert(folded(&id.value), id) {
            problems.push(
                Problem::error(
                    "client-name-clash",
                    &id.at,
                    format!(
                        "`{}` and `{}` would be one method in Rust",
                        id.value, other.value
                    ),
                    "rename one of the two, so that they differ in more than case and punctuation",
                )
                .with_related(&other.at, "the first one"),
            );
        }
        let mut check = Check {
            document,
            operation,
            problems: &mut problems,
        };
        check.path();
        check.parameters();
        check.body();
        check.responses();
    }
    for (name, schema) in &document.schemas {
        properties(name, schema, &mut problems);
    }
    problems
}

struct Check<'a, 'p> {
    document: &'a Document,
    operation: &'a Operation,
    problems: &'p mut Vec<Problem>,
}

impl Check<'_, '_> {
    fn reject(&mut self, rule: &'static str, at: &Location, what: impl AsRef<str>, help: &str) {
        let message = format!("the client of {} {}", self.operation.label(), what.as_ref());
        self.problems.push(Problem::error(rule, at, message, help));
    }

    /// Path variables and path parameters have to be the same; progenitor
    /// panics at one without the other, and joins `//` in silence.
    fn path(&mut self) {
        let path = &self.operation.path;
        if path.value.contains("//") {
            self.reject(
                "client-path",
                &path.at,
                "would send `//` as `/`",
                "write each segment once",
            );
        }
        let variables: Vec<&str> = path
            .value
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
            .collect();
        for variable in &variables {
            let known = self.operation.parameters.iter().any(|parameter| {
                parameter.location == ParameterIn::Path && parameter.name.value == *variable
            });
            if !known {
                let what = format!("has no parameter for `{{{variable}}}`");
                self.reject(
                    "client-path",
                    &path.at,
                    what,
                    "add a parameter with `in: path` and this name",
                );
            }
        }
        for parameter in &self.operation.parameters {
            if parameter.location == ParameterIn::Path
                && !variables.contains(&parameter.name.value.as_str())
            {
                let what = format!("has no place for `{}` in its path", parameter.name.value);
                self.reject(
                    "client-path",
                    &parameter.at,
                    what,
                    "write the name in braces into the path",
                );
            }
        }
    }
}

/// Two properties that are one field in Rust.
fn properties(name: &str, schema: &Schema, problems: &mut Vec<Problem>) {
    let mut fields: BTreeMap<String, (&String, &Schema)> = BTreeMap::new();
    for (property, inner) in &schema.properties {
        if let Some((other, first)) = fields.insert(folded(property), (property, inner)) {
            problems.push(
                Problem::error(
                    "client-name-clash",
                    &inner.at,
                    format!("`{other}` and `{property}` of `{name}` would be one field in Rust"),
                    "rename one of the two, so that they differ in more than case and punctuation",
                )
                .with_related(&first.at, "the first one"),
            );
        }
        properties(property, inner, problems);
    }
    for part in schema
        .all_of
        .iter()
        .chain(&schema.one_of)
        .chain(&schema.any_of)
        .chain(schema.items.as_deref())
    {
        properties(name, part, problems);
    }
}
