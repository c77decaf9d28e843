//! Implements CORS (defined in the Fetch standard), with which browsers let pages of other origins call
//! the service: responds to preflight requests, and adds the CORS headers to responses. CORS is off
//! until an origin is configured. The service has no cookies, so requests "with credentials" are never
//! allowed.

use crate::{config::Origins, document};
use dropshot::Body;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
        ORIGIN, VARY,
    },
    request::Parts,
};
use openapi_dropshot_types::Operation;
use serde_json::Value;

/// The request headers that a page may send, in addition to those of the document and those that are
/// always allowed.
const REQUEST_HEADERS: [&str; 4] = [
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "Traceparent",
];
/// The response headers that a page may read, in addition to those of the document and those that are
/// always allowed.
const EXPOSED_HEADERS: [&str; 9] = [
    "Allow",
    "Deprecation",
    "Link",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Sunset",
    "WWW-Authenticate",
    "X-Request-Id",
];
/// How long a browser may cache the response to a preflight request, in seconds.
const MAX_AGE: &str = "3600";

/// The origins whose pages may call the service from a browser, and the methods and headers that they
/// may use.
#[derive(Debug)]
pub(super) struct Cors {
    origins: Origins,
    methods: HeaderValue,
    request_headers: HeaderValue,
    exposed_headers: HeaderValue,
}

/// Whether the page that sent the request may read the response.
#[derive(Debug)]
pub(super) struct Grant {
    allowed: Option<HeaderValue>,
    varies: bool,
}

impl Cors {
    /// Returns `None` if no origin is configured.
    pub(super) fn new(origins: &Origins, served: &[&Operation], document: &Value) -> Option<Self> {
        if matches!(origins, Origins::Named(origins) if origins.is_empty()) {
            return None;
        }
        let mut methods: Vec<&str> = served.iter().map(|operation| operation.method).collect();
        methods.sort_unstable();
        methods.dedup();
        let sent = document::key_headers(document).chain(document::header_parameters(document));
        let received = document::response_headers(document);
        Some(Cors {
            origins: origins.clone(),
            methods: HeaderValue::try_from(methods.join(", ")).ok()?,
            request_headers: with_others(&REQUEST_HEADERS, sent)?,
            exposed_headers: with_others(&EXPOSED_HEADERS, received)?,
        })
    }

    /// Whether the page that sent a request may read the response.
    pub(super) fn grant(&self, head: &Parts) -> Grant {
        let origin = head.headers.get(ORIGIN);
        match &self.origins {
            Origins::Any => Grant {
                allowed: origin.map(|_| HeaderValue::from_static("*")),
                varies: false,
            },
            Origins::Named(named) => {
                let same = |origin: &&HeaderValue| named.iter().any(|named| named == *origin);
                Grant {
                    allowed: origin.filter(same).cloned(),
                    varies: true,
                }
            }
        }
    }

    /// Returns the response to a preflight request from an allowed origin; `None` for other requests.
    pub(super) fn preflight(&self, head: &Parts, grant: &Grant) -> Option<Response<Body>> {
        let is_preflight = head.method == Method::OPTIONS
            && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if !is_preflight || grant.allowed.is_none() {
            return None;
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, self.methods.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, self.request_headers.clone());
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
        Some(response)
    }
}

/// Returns a list of these headers and of the others, without duplicates.
fn with_others<'d>(
    names: &[&'d str],
    others: impl Iterator<Item = &'d str>,
) -> Option<HeaderValue> {
    let mut names = names.to_vec();
    for name in others {
        let is_known = names.iter().any(|known| known.eq_ignore_ascii_case(name));
        if !is_known && name.parse::<HeaderName>().is_ok() {
            names.push(name);
        }
    }
    HeaderValue::try_from(names.join(", ")).ok()
}

impl Grant {
    /// Adds the headers to the response.
    pub(super) fn put(self, cors: &Cors, headers: &mut HeaderMap) {
        if self.varies {
            headers.append(VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(allowed) = self.allowed {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, cors.exposed_headers.clone());
        }
    }
}
