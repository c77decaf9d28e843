//! Finds the operation of a request with the router that is generated from the document. Responds
//! with 404 if the API does not have the path, and with 405 and `Allow` if the path does not have
//! the method.

use super::error_response::ErrorResponse;
use dropshot::{ApiDescriptionBuildErrors, RequestEndpointMetadata};
use http::{Method, StatusCode};
use openapi_dropshot_types::{Condition, Operation, Router, Stability};

/// Why the operations of a document cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// Operations of the contract conflict with each other.
    #[error("the routes of the contract cannot be served")]
    Routes(#[from] ApiDescriptionBuildErrors),
    /// An operation of the contract has the same path as a page of the service.
    #[error(
        "`{method} {path}` of the contract cannot be served, because the service has the page `{page}` at its path; give the operation another path"
    )]
    HiddenByPage {
        /// The method of the operation.
        method: &'static str,
        /// The path of the operation, relative to the base path.
        path: &'static str,
        /// The path of the page, from the root.
        page: &'static str,
    },
}

/// The served operations, by method and path.
pub(super) struct Routes {
    router: Router,
    served: Vec<&'static Operation>,
    /// Whether each operation is served, by index.
    is_served: Vec<bool>,
    base: &'static str,
    /// The path template of each operation, from the root, by index.
    templates: Vec<&'static str>,
    not_found: &'static str,
}

impl Routes {
    /// Creates the routes of the operations that have at least this stability level. The other
    /// operations are not found.
    pub(super) fn new(
        router: Router,
        base: &'static str,
        operations: &'static [Operation],
        lowest: Stability,
    ) -> Self {
        let template = |operation: &Operation| -> &'static str {
            // It is kept until the process ends: see `Pages::new`.
            format!("{base}{}", operation.path).leak()
        };
        Routes {
            router,
            served: operations
                .iter()
                .filter(|operation| operation.stability >= lowest)
                .collect(),
            is_served: operations
                .iter()
                .map(|operation| operation.stability >= lowest)
                .collect(),
            base,
            templates: operations.iter().map(template).collect(),
            not_found: format!("there is no such path; `{base}/openapi.yaml` lists all paths")
                .leak(),
        }
    }

    /// Returns the served operations, in the order of the document.
    pub(super) fn served(&self) -> &[&'static Operation] {
        &self.served
    }

    /// Returns the path template of an operation, from the root.
    pub(super) fn template(&self, operation: &Operation) -> &'static str {
        self.templates
            .get(operation.index)
            .copied()
            .unwrap_or(operation.path)
    }

    /// Returns the operation, and the metadata that its extractors need.
    ///
    /// A `HEAD` request is handled as a `GET` request of its path, and its response is sent without
    /// the body (RFC 9110, section 9.3.2), unless the document has a `HEAD` operation for the path.
    pub(super) fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Operation, RequestEndpointMetadata), ErrorResponse> {
        match self.find_exactly(method, path) {
            Err(_) if method == Method::HEAD => self.find_exactly(&Method::GET, path),
            found => found,
        }
    }

    fn find_exactly(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Operation, RequestEndpointMetadata), ErrorResponse> {
        let path = self.relative(path).ok_or_else(|| self.not_found())?;
        match self.router.find(method, path) {
            Ok((operation, endpoint)) if self.serves(operation) => Ok((operation, endpoint)),
            Ok(_) => Err(self.without(method, path)),
            Err(error) => Err(match error.status_code.as_status() {
                StatusCode::NOT_FOUND => self.not_found(),
                StatusCode::METHOD_NOT_ALLOWED => self.without(method, path),
                StatusCode::BAD_REQUEST => {
                    ErrorResponse::new(Condition::InvalidRequest, error.external_message)
                }
                _ => ErrorResponse::internal(error.internal_message),
            }),
        }
    }

    /// Whether an operation that the router found is served, that is, not hidden.
    fn serves(&self, operation: &Operation) -> bool {
        let is_served = self.is_served.get(operation.index);
        is_served.is_some_and(|is_served| *is_served)
    }

    /// Creates the error for a path without this method. If no operation of the path is served, the
    /// error is that the path is not found.
    fn without(&self, method: &Method, path: &str) -> ErrorResponse {
        match self.allowed(path) {
            methods if methods.is_empty() => self.not_found(),
            methods => ErrorResponse::method_not_allowed(method, &methods),
        }
    }

    /// Returns the methods of a path, in the order of the document, with `HEAD` after `GET`.
    fn allowed(&self, path: &str) -> Vec<&'static str> {
        let mut methods = Vec::new();
        for Operation { index, method, .. } in &self.served {
            let known = Method::from_bytes(method.as_bytes()).ok();
            let found = known.and_then(|known| self.router.find(&known, path).ok());
            if found.is_some_and(|(found, _)| found.index == *index) && !methods.contains(method) {
                methods.push(*method);
            }
        }
        let get = methods.iter().position(|method| *method == "GET");
        if let Some(get) = get
            && !methods.contains(&"HEAD")
        {
            methods.insert(get + 1, "HEAD");
        }
        methods
    }

    /// Returns the path below the base path.
    fn relative<'a>(&self, path: &'a str) -> Option<&'a str> {
        let path = path.strip_prefix(self.base)?;
        path.starts_with('/').then_some(path)
    }

    fn not_found(&self) -> ErrorResponse {
        ErrorResponse::new(Condition::NotFound, self.not_found)
    }
}

#[cfg(test)]
mod tests;
