//! Finds the operation of a request.

use crate::Operation;
use dropshot::{ApiDescription, HttpError, RequestEndpointMetadata, ServerContext};
use http::Method;

/// Finds the operation that a request is for.
pub struct Router {
    lookup: Box<Lookup>,
    /// The operations, sorted by name.
    operations: Vec<&'static Operation>,
}

type Lookup = dyn Fn(&Method, &str) -> Result<RequestEndpointMetadata, HttpError> + Send + Sync;

impl Router {
    /// Makes a router of dropshot's description of an API, and of the table of
    /// the same operations.
    pub fn new<C: ServerContext>(api: ApiDescription<C>, operations: &'static [Operation]) -> Self {
        let router = api.into_router();
        let mut operations: Vec<&'static Operation> = operations.iter().collect();
        operations.sort_unstable_by_key(|operation| operation.name);
        Router {
            lookup: Box::new(move |method, path| {
                let route = router.lookup_route(method, path.into(), None)?;
                Ok(route.endpoint)
            }),
            operations,
        }
    }

    /// The operation of a method and a path, relative to the base path, and the
    /// metadata that the extractors need.
    ///
    /// # Errors
    ///
    /// 404 if the document has no such path, 405 if the path has no such method,
    /// 400 if the path cannot be decoded.
    pub fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Operation, RequestEndpointMetadata), HttpError> {
        let endpoint = (self.lookup)(method, path)?;
        let place = self
            .operations
            .binary_search_by_key(&endpoint.operation_id.as_str(), |operation| operation.name);
        match place {
            Ok(place) => Ok((self.operations[place], endpoint)),
            Err(_) => Err(HttpError::for_internal_error(format!(
                "the router found the operation `{}`, which is not in the table of operations",
                endpoint.operation_id
            ))),
        }
    }
}
