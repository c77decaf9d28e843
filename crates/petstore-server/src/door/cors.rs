//! What a browser asks before a page of another origin may call the service
//! (CORS, in the Fetch standard): preflights are answered here, and answers say
//! who may read them. Off until an origin is named; there are no cookies, so
//! nothing is ever allowed "with credentials".

use crate::api::Operation;
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

/// What a page may send beyond what every page may.
const REQUEST_HEADERS: &str = "Authorization, Content-Type, Idempotency-Key, Traceparent";
/// What a page may read beyond what every page may.
const EXPOSED_HEADERS: &str = "Allow, Deprecation, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id";
/// How long a browser may remember a preflight, in seconds.
const MAX_AGE: &str = "3600";

/// Who may call from a browser, and with which methods.
#[derive(Debug)]
pub(crate) struct Cors {
    origins: Origins,
    methods: HeaderValue,
}

/// What a page that sent a request may know of the answer.
#[derive(Debug)]
pub(super) struct Grant {
    allowed: Option<HeaderValue>,
    varies: bool,
}

impl Cors {
    /// None where no origin is named.
    pub(crate) fn new(origins: &Origins, served: &[Operation]) -> Option<Self> {
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

    /// Whether the page behind a request may read the answer.
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

    /// The answer to a preflight from an origin that is allowed; other requests
    /// go on.
    pub(super) fn preflight(&self, head: &Parts, grant: &Grant) -> Option<Response<Body>> {
        let asks = head.method == Method::OPTIONS
            && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if !asks || grant.allowed.is_none() {
            return None;
        }
        let mut answer = Response::new(Body::empty());
        *answer.status_mut() = StatusCode::NO_CONTENT;
        let headers = answer.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, self.methods.clone());
        let fixed = |headers: &mut HeaderMap, name: HeaderName, value| {
            headers.insert(name, HeaderValue::from_static(value))
        };
        fixed(headers, ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
        fixed(headers, ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        Some(answer)
    }
}

impl Grant {
    /// Says it on the answer.
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
