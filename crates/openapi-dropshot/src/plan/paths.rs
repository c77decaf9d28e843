//! Chooses the paths with which operations are registered in dropshot, because its router cannot distinguish some paths of a
//! document and would panic. Also rejects paths that cannot be served. The linter checks the variables.

use super::Planner;
use crate::rules;
use openapi_dropshot_contract::model::{Document, Method, Operation, Spanned};
use openapi_dropshot_contract::template::variables;
use std::collections::BTreeMap;

/// The paths with which the paths of a document are registered in dropshot.
///
/// Dropshot's router does not accept a fixed segment where another path has a variable, two names for a variable at the same place,
/// a variable that is only a part of a segment, or a slash at the end. If a document has such paths, each path is registered as a
/// number and its variables, such as `/1/{toolId}`. Dropshot also does not know QUERY and the methods of `additionalOperations`:
/// such an operation is registered as a POST on a path with another number. `Router` of `openapi-dropshot-types`, which finds the
/// operation of a request, uses the paths of the document.
pub(super) struct Routes<'a> {
    numbers: Option<BTreeMap<&'a str, usize>>,
    /// The methods of the document that dropshot does not know.
    unknown: Vec<Method>,
}

impl<'a> Routes<'a> {
    pub(super) fn of(document: &'a Document) -> Self {
        let paths = document.distinct_paths();
        let fits = |(index, path): (usize, &&str)| {
            let is_whole = |segment: &str| is_variable(segment) || !segment.contains('{');
            let ends_with_slash = path.ends_with('/') && *path != "/";
            !ends_with_slash
                && path.split('/').all(is_whole)
                && !paths[..index].iter().any(|other| exclude(path, other))
        };
        let unknown = document.methods_unknown_to_dropshot();
        let all_fit = paths.iter().enumerate().all(fits) && unknown.is_empty();
        let numbers = paths.iter().enumerate();
        let numbers = numbers.map(|(number, path)| (*path, number));
        Routes {
            numbers: (!all_fit).then(|| numbers.collect()),
            unknown,
        }
    }

    /// Returns the path with which an operation is registered in dropshot.
    pub(super) fn registered(&self, operation: &Operation) -> String {
        let path = operation.path.value.as_str();
        let Some(numbers) = &self.numbers else {
            return path.to_owned();
        };
        let number = numbers.get(path).copied().unwrap_or(0);
        let mut unknown = self.unknown.iter();
        let round = unknown.position(|method| *method == operation.method);
        let number = number + round.map_or(0, |index| (index + 1) * numbers.len());
        variables(path).fold(format!("/{number}"), |registered, name| {
            format!("{registered}/{{{name}}}")
        })
    }
}

/// Returns whether dropshot's router cannot contain both paths.
fn exclude(path: &str, other: &str) -> bool {
    let mut pairs = path.split('/').zip(other.split('/'));
    let different = pairs.find(|(segment, other)| segment != other);
    different.is_some_and(|(segment, other)| is_variable(segment) || is_variable(other))
}

impl Planner<'_> {
    /// Checks the paths of all operations.
    pub(super) fn check_paths(&mut self) {
        let mut routers: BTreeMap<&str, matchit::Router<()>> = BTreeMap::new();
        for operation in &self.document.operations {
            let path = &operation.path;
            let router = routers.entry(operation.method.as_str()).or_default();
            if self.check_path(path)
                && let Err(error) = router.insert(path.value.as_str(), ())
            {
                let message = match error {
                    matchit::InsertError::Conflict { with } => {
                        format!(
                            "requests for `{path}` cannot be distinguished from those for `{with}`"
                        )
                    }
                    _ => format!("`{path}` is not supported: a segment may have one variable"),
                };
                let help = "put a slash between the variables, or a fixed segment before them";
                self.reject(&rules::UNSUPPORTED_PATH, &path.at, message, help);
            }
        }
    }

    fn check_path(&mut self, path: &Spanned<String>) -> bool {
        let text = path.value.as_str();
        let mut segments = text.split('/');
        for (is_rejected, message, help) in [
            (
                segments.any(|segment| segment == "." || segment == ".."),
                "the segments `.` and `..` are not supported: clients remove them from an address",
                "write the path without them",
            ),
            (
                text.contains("//"),
                "an empty segment is not supported",
                "write one slash",
            ),
            (
                text.contains([' ', '?', '#', '"', '<', '>', '\\', '^', '`']),
                "a path has none of the characters ` ?#\"<>\\^` and no backtick: requests contain them in another form",
                "use only letters that stand for themselves, such as `a` to `z`, `0` to `9`, `-` and `_`",
            ),
            (
                (text.split('{').skip(1))
                    .filter_map(|rest| rest.split('}').next())
                    .any(|name| name.contains(':')),
                "a variable of a path is not supported with `:` in its name, which has a meaning of its own in dropshot",
                "rename the variable, which requests do not contain",
            ),
            (
                text.contains('%'),
                "`%` in a path is not supported: segments are compared after they were decoded",
                "use only letters that stand for themselves, such as `a` to `z`, `0` to `9`, `-` and `_`",
            ),
            (
                is_page(self.document.base_path(), text),
                "the service has a page of its own at this path: its document or its documentation",
                "give the operation another path, or leave it out",
            ),
        ] {
            if is_rejected {
                self.reject(&rules::UNSUPPORTED_PATH, &path.at, message, help);
                return false;
            }
        }
        true
    }
}

/// Returns whether the server has one of its own pages at the path of an operation.
fn is_page(base: &str, path: &str) -> bool {
    let whole = format!("{base}{path}");
    ["/openapi.yaml", "/openapi.json"].contains(&path)
        || ["/docs", "/docs/init.js", "/docs/scalar.js"].contains(&whole.as_str())
}

fn is_variable(segment: &str) -> bool {
    let name = segment
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['{', '}', ':']))
}

#[cfg(test)]
mod tests;
