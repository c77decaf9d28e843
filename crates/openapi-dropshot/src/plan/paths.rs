//! Distributes the paths among layers, because dropshot's router cannot distinguish some
//! of them and would panic, and rejects paths that it reads in another way. The linter
//! checks the variables.

use super::Planner;
use crate::rules;
use openapi_dropshot_contract::model::{Document, Spanned};
use std::collections::BTreeMap;

/// The paths under which dropshot knows the paths of a document.
///
/// dropshot's router takes no fixed word where another path has a variable, and no two
/// names of a variable at one place. If a document has such paths, each path is
/// registered below the number of a layer, such as `/1/tool/findByKind`, and no two
/// paths of a layer exclude each other. `Router` of `openapi-dropshot-types` finds the
/// layer of a request.
pub(super) struct Routes<'a> {
    layers: BTreeMap<&'a str, usize>,
    has_layers: bool,
}

impl<'a> Routes<'a> {
    /// Distributes the paths of a document: each goes into the first layer where it fits.
    pub(super) fn of(document: &'a Document) -> Self {
        let mut layers: Vec<Vec<&str>> = vec![Vec::new()];
        let mut layer_of = BTreeMap::new();
        for operation in &document.operations {
            let path = operation.path.value.as_str();
            if layer_of.contains_key(path) {
                continue;
            }
            let fits = |layer: &Vec<&str>| !layer.iter().any(|other| exclude(path, other));
            let index = layers.iter().position(fits).unwrap_or_else(|| {
                layers.push(Vec::new());
                layers.len() - 1
            });
            if let Some(layer) = layers.get_mut(index) {
                layer.push(path);
            }
            layer_of.insert(path, index);
        }
        Routes {
            has_layers: layers.len() > 1,
            layers: layer_of,
        }
    }

    /// Returns the path under which dropshot knows a path.
    pub(super) fn registered(&self, path: &str) -> String {
        match self.layers.get(path) {
            Some(layer) if self.has_layers => format!("/{layer}{path}"),
            _ => path.to_owned(),
        }
    }
}

/// Returns whether dropshot's router cannot have both paths.
fn exclude(path: &str, other: &str) -> bool {
    let mut pairs = path.split('/').zip(other.split('/'));
    let different = pairs.find(|(segment, other)| segment != other);
    different.is_some_and(|(segment, other)| is_variable(segment) || is_variable(other))
}

impl Planner<'_> {
    /// Checks the paths of all operations.
    pub(super) fn check_paths(&mut self) {
        for operation in &self.document.operations {
            self.check_path(&operation.path);
        }
    }

    fn check_path(&mut self, path: &Spanned<String>) {
        for segment in path
            .value
            .split('/')
            .filter(|segment| !is_variable(segment))
        {
            if segment.contains(['{', '}']) || segment == "." || segment == ".." {
                let message = format!(
                    "`{segment}` is not supported: a variable must be a whole segment, and `.` and `..` are not segments"
                );
                let help = "put the variable between two slashes";
                self.reject(&rules::UNSUPPORTED_PATH, &path.at, message, help);
            }
        }
        let text = path.value.as_str();
        for (is_rejected, message, help) in [
            (
                text.contains("//"),
                "an empty segment is not supported: dropshot's router has none",
                "write one slash",
            ),
            (
                text.ends_with('/') && text != "/",
                "a path that ends with a slash is not supported: dropshot's router serves it without the slash, too",
                "write the path without the slash at its end",
            ),
            (
                text.contains('%'),
                "`%` in a path is not supported: dropshot's router compares segments that are decoded",
                "use only letters that stand for themselves, such as `a` to `z`, `0` to `9`, `-` and `_`",
            ),
        ] {
            if is_rejected {
                self.reject(&rules::UNSUPPORTED_PATH, &path.at, message, help);
            }
        }
    }
}

/// Returns whether a segment is a variable.
fn is_variable(segment: &str) -> bool {
    let name = segment
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    name.is_some_and(|name| !name.is_empty() && !name.contains(['{', '}', ':']))
}

#[cfg(test)]
mod tests;
