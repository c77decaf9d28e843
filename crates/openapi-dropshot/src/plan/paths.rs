//! Rejects paths that dropshot's router cannot distinguish, on which it would
//! panic, and paths that it reads in another way. The linter checks the variables.

use super::Planner;
use openapi_dropshot_contract::{
    Problem,
    model::{Location, Spanned},
};
use std::collections::BTreeMap;

impl Planner<'_> {
    /// Checks the paths of all operations, each by itself and together.
    pub(super) fn check_paths(&mut self) {
        // The next segment after each beginning of a path, in which variables have no names.
        let mut branches: BTreeMap<Vec<&str>, (&str, &Location)> = BTreeMap::new();
        for operation in &self.document.operations {
            let path = &operation.path;
            self.check_path(path);
            let mut beginning = Vec::new();
            for segment in path.value.split('/').filter(|segment| !segment.is_empty()) {
                let branch = branches.entry(beginning.clone());
                let (other, at) = *branch.or_insert((segment, &path.at));
                if other != segment && (is_variable(other) || is_variable(segment)) {
                    let message = format!(
                        "`{segment}` stands where another path has `{other}`: dropshot's router cannot tell them apart"
                    );
                    let help = "give variables at the same place the same name, and put fixed words beside a variable on a path of their own";
                    let problem = Problem::error("ambiguous-paths", &path.at, message, help);
                    self.problems
                        .push(problem.with_related(at, "the other path"));
                    break;
                }
                beginning.push(if is_variable(segment) { "{}" } else { segment });
            }
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
                self.reject("unsupported-path", &path.at, message, help);
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
                self.reject("unsupported-path", &path.at, message, help);
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
