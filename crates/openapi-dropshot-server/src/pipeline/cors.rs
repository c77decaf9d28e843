//! Implements CORS (of the Fetch standard), with which browsers let pages of other origins call the
//! service: responds to preflights, and adds the CORS headers to responses. CORS is off until an origin
//! is configured. There are no cookies, so requests "with credentials" are never allowed.

use crate::config::Origins;
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

/// The request headers that a page may send, beside those that are always allowed.
const REQUEST_HEADERS: &str = "Authorization, Content-Type, Idempotency-Key, Traceparent";
/// The response headers that a page may read, beside those that are always allowed.
const EXPOSED_HEADERS: &str = "Allow, Deprecation, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id";
/// How long a browser may remember a preflight, in seconds.
const MAX_AGE: &str = "3600";

/// The origins that may call from a browser, and their methods.
#[derive(Debug)]
pub(super) struct Cors {
    origins: Origins,
    methods: HeaderValue,
}

/// The permission to read the response, for the page that sent the request.
#[derive(Debug)]
pub(super) struct Grant {
    allowed: Option<HeaderValue>,
    varies: bool,
}

impl Cors {
    /// None where no origin is named.
    pub(super) fn new(origins: &Origins, served: &[&Operation]) -> Option<Self> {
        if matches!(origins, Origins::Named(origins) if origins.is_empty()) {
            return None;
        }
        let mut methods: Vec<&str> = served.iter().map(|operation| operation.method).collect();
        methods.sort_unstable();
        methods.dedup();
        Some(Cors {
            origins: origins.clone(),
            methods: HeaderValue::try_from(methods.join(", ")).ok()?,
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

    /// The response to a preflight from an origin that is allowed; `None` for other requests.
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
        let fixed = |headers: &mut HeaderMap, name: HeaderName, value| {
            headers.insert(name, HeaderValue::from_static(value))
        };
        fixed(headers, ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
        fixed(headers, ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        Some(response)
    }
}

impl Grant {
    /// Adds the headers to the response.
    pub(super) fn put(self, headers: &mut HeaderMap) {
        if self.varies {
            headers.append(VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(allowed) = self.allowed {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
            headers.insert(
                ACCESS_CONTROL_EXPOSE_HEADERS,
                HeaderValue::from_static(EXPOSED_HEADERS),
            );
        }
    }
}
