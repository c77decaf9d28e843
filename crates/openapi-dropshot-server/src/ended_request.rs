//! The data about a request that has ended.

use http::Method;
use openapi_dropshot_types::Operation;
use std::{net::IpAddr, time::Duration};

/// A request that has ended.
pub(crate) struct EndedRequest<'a> {
    /// The message of the log line: how the request ended.
    pub(crate) message: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) method: &'a Method,
    /// The path template of the route, if one matches the path.
    pub(crate) route: Option<&'static str>,
    pub(crate) operation: Option<&'static Operation>,
    /// The path that does not exist, as [`unknown_path`](crate::access::unknown_path) formats it.
    pub(crate) path: Option<&'a str>,
    /// The address of the client. If a proxy does not send one, the address of the proxy.
    pub(crate) client: Option<IpAddr>,
    /// The status of the response; `None` if the client disconnected before the response.
    pub(crate) status: Option<u16>,
    /// The error code, if the response is an error.
    pub(crate) code: Option<&'static str>,
    /// The id of the principal.
    pub(crate) key_id: Option<&'a str>,
    pub(crate) took: Duration,
}
