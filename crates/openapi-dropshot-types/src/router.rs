//! Finds the operation of a request.
//!
//! dropshot's router does not allow a fixed segment where another path has a variable, and it does not
//! allow a path that ends with a slash. Therefore it does not route requests here: each method has its own
//! router with the paths of the document.

use crate::Operation;
use dropshot::{
    ApiDescription, ApiEndpointBodyContentType, ClientErrorStatusCode, HttpError,
    RequestEndpointMetadata, ServerContext,
};
use http::Method;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// Finds the operation of a request.
pub struct Router {
    methods: Vec<(&'static str, matchit::Router<Route>)>,
}

/// An operation, and the data from which its endpoint metadata is created.
struct Route {
    operation: &'static Operation,
    body_content_type: ApiEndpointBodyContentType,
    request_body_max_bytes: Option<usize>,
}

impl Router {
    /// Creates a router from dropshot's description of an API and from the table of the same operations.
    pub fn new<C: ServerContext>(api: ApiDescription<C>, operations: &'static [Operation]) -> Self {
        let mut methods: Vec<(&'static str, matchit::Router<Route>)> = Vec::new();
        for (_, _, endpoint) in api.into_router().endpoints(None) {
            let name = &endpoint.operation_id;
            let Some(operation) = operations.iter().find(|own| own.name == *name) else {
                continue;
            };
            let known = methods.iter().position(|(own, _)| *own == operation.method);
            let index = known.unwrap_or_else(|| {
                methods.push((operation.method, matchit::Router::new()));
                methods.len() - 1
            });
            let route = Route {
                operation,
                body_content_type: endpoint.body_content_type.clone(),
                request_body_max_bytes: endpoint.request_body_max_bytes,
            };
            // The generator has already rejected paths that conflict with each other.
            methods[index].1.insert(operation.path, route).ok();
        }
        Router { methods }
    }

    /// Returns the operation of a method and a path, which is relative to the base path. Also returns the
    /// metadata that the extractors need, without the path variables, which
    /// [`dispatch::read_path`](crate::dispatch::read_path) reads. A fixed segment takes precedence over a
    /// variable.
    ///
    /// # Errors
    ///
    /// Returns 404 if the document does not have the path, 405 if the path does not have the method, and
    /// 400 if the path cannot be decoded.
    pub fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Operation, RequestEndpointMetadata), HttpError> {
        let path = decoded(path)?;
        let mut methods = self.methods.iter();
        let own = methods.find(|(own, _)| *own == method.as_str());
        if let Some(found) = own.and_then(|(_, router)| router.at(&path).ok()) {
            let route = found.value;
            let endpoint = RequestEndpointMetadata {
                operation_id: route.operation.name.to_owned(),
                variables: Default::default(),
                body_content_type: route.body_content_type.clone(),
                request_body_max_bytes: route.request_body_max_bytes,
            };
            return Ok((route.operation, endpoint));
        }
        let mut routers = self.methods.iter().map(|(_, router)| router);
        Err(if routers.any(|router| router.at(&path).is_ok()) {
            HttpError::for_client_error_with_status(None, ClientErrorStatusCode::METHOD_NOT_ALLOWED)
        } else {
            HttpError::for_not_found(None, format!("no operation has the path {path}"))
        })
    }
}

/// Decodes the segments of a path, so that a fixed segment is found in every encoding. A slash inside a
/// segment stays encoded.
fn decoded(path: &str) -> Result<Cow<'_, str>, HttpError> {
    let is_unusual = path.contains('%') || path.contains("/.");
    if !is_unusual {
        return Ok(Cow::Borrowed(path));
    }
    let segments = path.split('/').map(|segment| {
        let segment = percent_decode_str(segment).decode_utf8();
        let segment = segment.map_err(|_| "a segment of the path is not UTF-8")?;
        match &*segment {
            "." | ".." => Err("the path has a segment `.` or `..`"),
            _ => Ok(segment.replace('/', "%2F")),
        }
    });
    let segments: Result<Vec<_>, _> = segments.collect();
    match segments {
        Ok(segments) => Ok(segments.join("/").into()),
        Err(message) => Err(HttpError::for_bad_request(None, message.to_owned())),
    }
}
