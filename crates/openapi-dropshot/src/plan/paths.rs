//! Rejects paths that dropshot's router cannot distinguish, on which it would
//! panic.

use super::Planner;
use openapi_dropshot_contract::{
    Problem,
    model::{Location, Operation, ParameterIn},
};
use std::collections::{BTreeMap, BTreeSet};

/// What follows a common beginning of paths.
#[derive(Default)]
struct Branch<'a> {
    variable: Option<(&'a str, &'a Location)>,
    literal: Option<(&'a str, &'a Location)>,
}

impl<'a> Planner<'a> {
    /// Checks the paths of all operations, each by itself and together.
    pub(super) fn check_paths(&mut self) {
        let mut branches: BTreeMap<Vec<&'a str>, Branch<'a>> = BTreeMap::new();
        let mut seen: BTreeMap<(String, &'a str), &'a Location> = BTreeMap::new();
        for operation in &self.document.operations {
            let path = &operation.path;
            self.check_variables(operation);
            if let Some(before) = seen.insert(
                (path.value.clone(), operation.method.as_str()),
                &operation.at,
            ) {
                let message = format!("`{} {}` is defined twice", operation.method, path.value);
                let problem = Problem::error(
                    "duplicate-operation",
                    &operation.at,
                    message,
                    "remove one of them",
                );
                self.problems
                    .push(problem.with_related(before, "the other one"));
            }
            let mut beginning = Vec::new();
            for segment in path.value.split('/').filter(|segment| !segment.is_empty()) {
                let branch = branches.entry(beginning.clone()).or_default();
                let conflict = match variable(segment) {
                    Some(name) => {
                        let before = branch.variable.get_or_insert((name, &path.at));
                        if before.0 == name {
                            branch.literal
                        } else {
                            Some(*before)
                        }
                    }
                    None => {
                        branch.literal.get_or_insert((segment, &path.at));
                        branch.variable
                    }
                };
                if let Some((other, at)) = conflict {
                    let message = format!(
                        "`{segment}` stands where another path has `{other}`: dropshot's router cannot tell them apart"
                    );
                    let help = "give variables at the same place the same name, and put fixed words beside a variable on a path of their own";
                    self.problems.push(
                        Problem::error("ambiguous-paths", &path.at, message, help)
                            .with_related(at, "the other path"),
                    );
                    break;
                }
                beginning.push(if variable(segment).is_some() {
                    "{}"
                } else {
                    segment
                });
            }
        }
    }

    /// The variables of a path are its parameters, and each is a whole segment.
    fn check_variables(&mut self, operation: &'a Operation) {
        let path = &operation.path;
        let mut names = BTreeSet::new();
        for segment in path.value.split('/') {
            if let Some(name) = variable(segment) {
                if !names.insert(name) {
                    let message = format!("the path has two variables `{name}`");
                    self.problems.push(Problem::error(
                        "path-variable",
                        &path.at,
                        message,
                        "give each variable a name of its own",
                    ));
                }
            } else if segment.contains(['{', '}']) || segment == "." || segment == ".." {
                self.problems.push(Problem::error(
                    "unsupported-path",
                    &path.at,
                    format!("`{segment}` is not supported: a variable must be a whole segment, and `.` and `..` are not segments"),
                    "put the variable between two slashes",
                ));
            }
        }
        let declared: BTreeSet<&str> = operation
            .parameters
            .iter()
            .filter(|parameter| parameter.location == ParameterIn::Path)
            .map(|parameter| parameter.name.value.as_str())
            .collect();
        if names != declared {
            let mut missing: Vec<&str> = names.symmetric_difference(&declared).copied().collect();
            missing.sort_unstable();
            self.problems.push(Problem::error(
                "path-parameter",
                &operation.at,
                format!(
                    "`{}` is not both a variable of the path and a path parameter",
                    missing.join("`, `")
                ),
                "declare one parameter with `in: path` for each variable",
            ));
        }
        if path.value.contains("//") {
            self.problems.push(Problem::error(
                "unsupported-path",
                &path.at,
                "an empty segment is not supported: dropshot's router has none",
                "write one slash",
            ));
        }
        if path.value.ends_with('/') && path.value != "/" {
            self.problems.push(Problem::error(
                "unsupported-path",
                &path.at,
                "a path that ends with a slash is not supported: dropshot's router serves it without the slash, too",
                "write the path without the slash at its end",
            ));
        }
        if path.value.contains('%') {
            self.problems.push(Problem::error(
                "unsupported-path",
                &path.at,
                "`%` in a path is not supported: dropshot's router compares segments that are decoded",
                "use only letters that stand for themselves, such as `a` to `z`, `0` to `9`, `-` and `_`",
            ));
        }
        if !path.value.starts_with('/') {
            self.problems.push(Problem::error(
                "unsupported-path",
                &path.at,
                "a path begins with a slash",
                format!("write `/{}`", path.value),
            ));
        }
    }
}

/// The name of a variable segment.
fn variable(segment: &str) -> Option<&str> {
    let name = segment.strip_prefix('{')?.strip_suffix('}')?;
    (!name.is_empty() && !name.contains(['{', '}', ':'])).then_some(name)
}
