//! Finds the operation of a request.
//!
//! dropshot's router takes no path with a fixed word where another path has a variable.
//! The generator distributes such paths among layers, and registers each path below the
//! number of its layer, as `/1/tool/findByKind`. [`Router`] finds the layer of a request.

use crate::Operation;
use dropshot::{
    ApiDescription, ApiEndpointBodyContentType, HttpError, RequestEndpointMetadata, ServerContext,
};
use http::Method;
use percent_encoding::percent_decode_str;

/// Finds the operation that a request is for.
pub struct Router {
    lookup: Box<Lookup>,
    /// The operations, sorted by name.
    operations: Vec<&'static Operation>,
    /// The layer of each path; `None` if all paths are registered as the document has them.
    layers: Option<matchit::Router<String>>,
    /// The operations of each path, which are found without dropshot's router.
    direct: Option<matchit::Router<Vec<Direct>>>,
}

/// An operation, and what the metadata of its endpoint is made of.
struct Direct {
    operation: &'static Operation,
    body_content_type: ApiEndpointBodyContentType,
    request_body_max_bytes: Option<usize>,
}

impl Direct {
    /// The metadata of the endpoint, without the variables of the path.
    fn endpoint(&self) -> RequestEndpointMetadata {
        RequestEndpointMetadata {
            operation_id: self.operation.name.to_owned(),
            variables: Default::default(),
            body_content_type: self.body_content_type.clone(),
            request_body_max_bytes: self.request_body_max_bytes,
        }
    }
}

type Lookup = dyn Fn(&Method, &str) -> Result<RequestEndpointMetadata, HttpError> + Send + Sync;

impl Router {
    /// Makes a router of dropshot's description of an API, and of the table of
    /// the same operations.
    pub fn new<C: ServerContext>(api: ApiDescription<C>, operations: &'static [Operation]) -> Self {
        Self::with(api, operations, false)
    }

    /// As [`new`](Self::new), for a `dispatch` that reads the variables of a path with
    /// [`dispatch::read_path`](crate::dispatch::read_path): the metadata that
    /// [`find`](Self::find) returns may be without them. dropshot's router, which copies every
    /// segment of a path, then is only asked for unusual paths.
    pub fn without_variables<C: ServerContext>(
        api: ApiDescription<C>,
        operations: &'static [Operation],
    ) -> Self {
        Self::with(api, operations, true)
    }

    fn with<C: ServerContext>(
        api: ApiDescription<C>,
        operations: &'static [Operation],
        is_direct: bool,
    ) -> Self {
        let router = api.into_router();
        let mut operations: Vec<&'static Operation> = operations.iter().collect();
        operations.sort_unstable_by_key(|operation| operation.name);
        let mut layers = matchit::Router::new();
        let mut has_layers = false;
        let mut direct = Vec::new();
        for (registered, _, endpoint) in router.endpoints(None) {
            let operation = operation_of(&operations, &endpoint.operation_id);
            direct.extend(operation.map(|operation| Direct {
                operation,
                body_content_type: endpoint.body_content_type.clone(),
                request_body_max_bytes: endpoint.request_body_max_bytes,
            }));
            let path = operation.map_or("", |operation| operation.path);
            if let Some(layer) = registered.strip_suffix(path.trim_end_matches('/')) {
                has_layers |= !layer.is_empty();
                // The methods of a path are in the same layer, so the first one decides.
                layers.insert(path, layer.to_owned()).ok();
            }
        }
        Router {
            lookup: Box::new(move |method, path| {
                let route = router.lookup_route(method, path.into(), None)?;
                Ok(route.endpoint)
            }),
            operations,
            layers: has_layers.then_some(layers),
            direct: is_direct.then(|| by_path(direct)).flatten(),
        }
    }

    /// The operation of a method and a path, relative to the base path, and the
    /// metadata that the extractors need. A fixed word is preferred to a variable.
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
        if let Some(found) = self.find_directly(method, path) {
            return Ok((found.operation, found.endpoint()));
        }
        let endpoint = match self.layers.as_ref() {
            None => (self.lookup)(method, path)?,
            Some(layers) => {
                // A path that cannot be decoded is an error of the router of the first layer.
                let decoded = decoded(path);
                let layer = layers.at(&decoded);
                let layer = layer.map_or("/0", |found| found.value.as_str());
                (self.lookup)(method, &format!("{layer}{path}"))?
            }
        };
        match operation_of(&self.operations, &endpoint.operation_id) {
            Some(operation) => Ok((operation, endpoint)),
            None => Err(HttpError::for_internal_error(format!(
                "the router found the operation `{}`, which is not in the table of operations",
                endpoint.operation_id
            ))),
        }
    }

    /// The operation of a path that is spelled as in the document. Of another one, or of an
    /// unknown one, dropshot's router knows what it is.
    fn find_directly(&self, method: &Method, path: &str) -> Option<&Direct> {
        let direct = self.direct.as_ref().filter(|_| is_plain(path))?;
        let mut operations = direct.at(path).ok()?.value.iter();
        operations.find(|found| found.operation.method == method.as_str())
    }
}

/// Whether a path has no encoded characters, no empty segments, none that begins with a dot, and
/// no braces.
fn is_plain(path: &str) -> bool {
    let mut last = 0;
    for byte in path.bytes() {
        let is_unusual = match byte {
            b'%' | b'{' | b'}' => true,
            b'/' | b'.' => last == b'/',
            _ => false,
        };
        if is_unusual {
            return false;
        }
        last = byte;
    }
    last != b'/'
}

/// The operations by their paths; `None` if two paths exclude each other here.
fn by_path(operations: Vec<Direct>) -> Option<matchit::Router<Vec<Direct>>> {
    let mut paths: Vec<(&str, Vec<Direct>)> = Vec::new();
    for direct in operations {
        let path = direct.operation.path;
        match paths.iter_mut().find(|(known, _)| *known == path) {
            Some((_, operations)) => operations.push(direct),
            None => paths.push((path, vec![direct])),
        }
    }
    let mut router = matchit::Router::new();
    for (path, operations) in paths {
        router.insert(path, operations).ok()?;
    }
    Some(router)
}

/// Finds an operation by its name, among operations that are sorted by name.
fn operation_of(operations: &[&'static Operation], name: &str) -> Option<&'static Operation> {
    let place = operations.binary_search_by_key(&name, |operation| operation.name);
    place.ok().map(|place| operations[place])
}

/// Decodes the segments of a path, so that a fixed word is found however it is encoded. A
/// slash inside a segment stays encoded.
fn decoded(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let segment = percent_decode_str(segment).decode_utf8_lossy();
        segment.replace('/', "%2F")
    });
    segments.collect::<Vec<_>>().join("/")
}
