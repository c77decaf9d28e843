//! Serves the pages that need no key: the document of the API, and the page to read it.

use super::{error_response::ErrorResponse, route::RouteError};
use crate::{
    docs::{self, Docs},
    document::Document,
};
use bytes::Bytes;
use dropshot::Body;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response,
    header::{
        ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
        REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    },
    request::Parts,
};
use openapi_dropshot_types::Operation;

/// A page that needs no key.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) path: &'static str,
    content_type: &'static str,
    content: Content,
    /// The same as gzip, where it is too long to be compressed each time.
    gzip: Option<fn() -> &'static Bytes>,
    headers: &'static [(HeaderName, &'static str)],
}

#[derive(Debug)]
enum Content {
    Ready(Bytes),
    /// Unpacked when it is asked for first.
    Lazy(fn() -> &'static Bytes),
}

const SAFE: (HeaderName, &str) = (X_CONTENT_TYPE_OPTIONS, "nosniff");
/// After an upgrade, page and script have to fit the document.
const FRESH: (HeaderName, &str) = (CACHE_CONTROL, "no-cache");
const HTML_HEADERS: &[(HeaderName, &str)] = &[
    (CONTENT_SECURITY_POLICY, docs::POLICY),
    (REFERRER_POLICY, "no-referrer"),
    SAFE,
    FRESH,
];
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The pages of a server.
#[derive(Debug)]
pub(super) struct Pages([Page; 5]);

impl Pages {
    /// The pages of an API with this title. The document is below the base path.
    pub(super) fn new(document: Document, title: &str, base: &str) -> Self {
        let docs = Docs::new(title, base);
        // A process has few servers, and they have their paths as long as it runs.
        let below_base = |name: &str| -> &'static str { format!("{base}/{name}").leak() };
        let page = |path, content_type, content, headers| Page {
            path,
            content_type,
            content: Content::Ready(content),
            gzip: None,
            headers,
        };
        Pages([
            // RFC 9512
            page(
                below_base("openapi.yaml"),
                "application/yaml",
                document.yaml,
                &[],
            ),
            page(
                below_base("openapi.json"),
                "application/json",
                document.json,
                &[],
            ),
            page("/docs", "text/html; charset=utf-8", docs.page, HTML_HEADERS),
            page("/docs/init.js", SCRIPT, docs.script, &[SAFE, FRESH]),
            Page {
                path: "/docs/scalar.js",
                content_type: SCRIPT,
                content: Content::Lazy(|| &docs::VIEWER),
                gzip: Some(|| &docs::VIEWER_GZIP),
                headers: &[SAFE, (CACHE_CONTROL, "public, max-age=86400")],
            },
        ])
    }

    /// The page at a path.
    pub(super) fn find(&self, path: &str) -> Option<&Page> {
        self.0.iter().find(|page| page.path == path)
    }

    /// Checks that no page has the path of an operation.
    pub(super) fn check(&self, operations: &[Operation], base: &str) -> Result<(), RouteError> {
        for page in &self.0 {
            let path = page.path.strip_prefix(base).unwrap_or_default();
            let mut operations = operations.iter();
            if let Some(hidden) = operations.find(|operation| matches(operation.path, path)) {
                return Err(RouteError::HiddenByPage {
                    method: hidden.method,
                    path: hidden.path,
                    page: page.path,
                });
            }
        }
        Ok(())
    }
}

/// Whether a path can be one of a template, such as `/items/{itemId}`.
fn matches(template: &str, path: &str) -> bool {
    let (mut parts, mut segments) = (template.split('/'), path.split('/'));
    loop {
        match (parts.next(), segments.next()) {
            (None, None) => return true,
            (Some(part), Some(segment)) if part == segment || part.starts_with('{') => {}
            _ => return false,
        }
    }
}

impl Page {
    pub(super) fn respond(&self, head: &Parts) -> Result<Response<Body>, ErrorResponse> {
        if ![Method::GET, Method::HEAD].contains(&head.method) {
            let error = ErrorResponse::method_not_allowed(&head.method, &["GET", "HEAD"]);
            return Err(error);
        }
        let gzip = self.gzip.filter(|_| accepts_gzip(&head.headers));
        let content = match (gzip, &self.content) {
            (Some(gzip), _) => gzip(),
            (None, Content::Ready(content)) => content,
            (None, Content::Lazy(content)) => content(),
        };
        let mut response = Response::new(Body::from(content.clone()));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        if self.gzip.is_some() {
            headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        if gzip.is_some() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        for (name, value) in self.headers {
            headers.insert(name, HeaderValue::from_static(value));
        }
        Ok(response)
    }
}

/// Whether gzip is named, and not with the weight 0 (RFC 9110, section 12.5.3).
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let named = headers.get_all(ACCEPT_ENCODING).iter();
    let codings = named.filter_map(|value| value.to_str().ok());
    codings.flat_map(|list| list.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix("q=").map(str::parse::<f32>);
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight, Some(Ok(0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::{OPERATIONS, TestContract};
    use openapi_dropshot_types::Contract as _;

    fn pages() -> Pages {
        let served: Vec<_> = OPERATIONS.iter().collect();
        Pages::new(Document::of::<TestContract>(&served), "Shop", "/v1")
    }

    #[test]
    fn pages_hide_no_operation_with_another_path() {
        assert!(pages().check(TestContract::OPERATIONS, "/v1").is_ok());
    }

    #[test]
    fn an_operation_with_the_path_of_a_page_is_found() {
        for (path, page) in [
            ("/openapi.yaml", Some("/v1/openapi.yaml")),
            ("/openapi.json", Some("/v1/openapi.json")),
            ("/{name}", Some("/v1/openapi.yaml")),
            ("/openapi.yaml/x", None),
            ("/{name}/openapi.yaml", None),
            ("/docs", None),
        ] {
            let operation = Operation {
                path,
                ..OPERATIONS[0]
            };
            let hidden = match pages().check(&[operation], "/v1") {
                Err(RouteError::HiddenByPage { page, .. }) => Some(page),
                _ => None,
            };
            assert_eq!(hidden, page, "{path}");
        }
    }

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        for (header, accepted) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip; q=0", false),
            ("gzip;q=0.0, br", false),
            ("identity", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(header));
            assert_eq!(accepts_gzip(&headers), accepted, "{header}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
