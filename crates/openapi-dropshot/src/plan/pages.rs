//! Plans operations that return pages, as dropshot marks them.

use super::Planner;
use openapi_dropshot_contract::{
    Problem,
    model::{NodeKind, Operation, ParameterIn},
};

/// The facts about pages that dropshot needs.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    /// The name of the struct that derives the schema.
    pub(crate) described: String,
    /// The parameters that the first page needs.
    pub(crate) first: Vec<String>,
}

impl Planner<'_> {
    /// Pages are requested in the query.
    pub(super) fn check_pages(&mut self, operation: &Operation, websocket: bool) {
        let mark = operation
            .extensions
            .get("x-dropshot-pagination")
            .filter(|mark| mark.as_bool() != Some(false));
        let has_query = operation
            .parameters
            .iter()
            .any(|parameter| parameter.location == ParameterIn::Query);
        if let Some(mark) = mark.filter(|_| websocket || !has_query) {
            self.problems.push(Problem::error(
                "unsupported-pagination",
                &mark.at,
                "`x-dropshot-pagination` stands at an operation that gives no pages",
                "add the query parameters `limit` and `page_token`, or remove the extension",
            ));
        }
    }

    /// `x-dropshot-pagination`: which parameters the first page of a list needs.
    pub(super) fn pages(&mut self, operation: &Operation) -> Option<Vec<String>> {
        let mark = operation.extensions.get("x-dropshot-pagination")?;
        match &mark.kind {
            NodeKind::Bool(false) => return None,
            NodeKind::Bool(true) => return Some(Vec::new()),
            _ => {}
        }
        let required = mark
            .get("required")
            .and_then(|required| required.as_array())
            .map(|names| names.iter().map(|name| name.as_str().map(str::to_owned)));
        let names: Option<Vec<String>> = required.and_then(|mut names| {
            names.try_fold(Vec::new(), |mut all, name| {
                all.push(name?);
                Some(all)
            })
        });
        if names.is_none() {
            self.problems.push(Problem::error(
                "unsupported-pagination",
                &mark.at,
                "`x-dropshot-pagination` does not list what the first page needs",
                "write `x-dropshot-pagination: {required: []}`, with the names of parameters",
            ));
        }
        names
    }
}
