//! What is served without a key beside the API: its document, and the page to
//! read it. What is in them is left to `document/` and `docs/`.

use super::{answer::Rejection, route};
use crate::api::Operation;
use crate::{app::App, docs, document::Document};
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

/// A page that is there for everybody.
pub(super) struct Page {
    pub(super) path: &'static str,
    content_type: &'static str,
    content: fn(&Document) -> &Bytes,
    /// The same as gzip, where it is too long to be compressed each time.
    gzip: Option<fn() -> &'static Bytes>,
    headers: &'static [(HeaderName, &'static str)],
}

const SAFE: (HeaderName, &str) = (X_CONTENT_TYPE_OPTIONS, "nosniff");
/// After an upgrade, page and script have to fit the document.
const FRESH: (HeaderName, &str) = (CACHE_CONTROL, "no-cache");
const SCRIPT: &str = "text/javascript; charset=utf-8";

const PAGES: &[Page] = &[
    Page {
        path: "/v1/openapi.yaml",
        // RFC 9512
        content_type: "application/yaml",
        content: |document| &document.yaml,
        gzip: None,
        headers: &[],
    },
    Page {
        path: "/v1/openapi.json",
        content_type: "application/json",
        content: |document| &document.json,
        gzip: None,
        headers: &[],
    },
    Page {
        path: "/docs",
        content_type: "text/html; charset=utf-8",
        content: |_| &docs::PAGE,
        gzip: None,
        headers: &[
            (CONTENT_SECURITY_POLICY, docs::POLICY),
            (REFERRER_POLICY, "no-referrer"),
            SAFE,
            FRESH,
        ],
    },
    Page {
        path: "/docs/init.js",
        content_type: SCRIPT,
        content: |_| &docs::INIT,
        gzip: None,
        headers: &[SAFE, FRESH],
    },
    Page {
        path: "/docs/scalar.js",
        content_type: SCRIPT,
        content: |_| &docs::VIEWER,
        gzip: Some(|| &docs::VIEWER_GZIP),
        headers: &[SAFE, (CACHE_CONTROL, "public, max-age=86400")],
    },
];

/// The page at a path.
pub(super) fn find(path: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.path == path)
}

/// The first operation that could be asked for by the path of a page, and that
/// page: it would stand in the way.
pub(super) fn in_the_way(operations: &[Operation]) -> Option<(&Operation, &'static str)> {
    PAGES.iter().find_map(|page| {
        let path = page.path.strip_prefix(route::BASE)?;
        let operation = operations
            .iter()
            .find(|operation| fits(operation.path, path))?;
        Some((operation, page.path))
    })
}

/// Whether a path can be one of a template, such as `/pets/{petId}`.
fn fits(template: &str, path: &str) -> bool {
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
    pub(super) fn answer(&self, head: &Parts, app: &App) -> Result<Response<Body>, Rejection> {
        if ![Method::GET, Method::HEAD].contains(&head.method) {
            return Err(route::not_allowed(&head.method, vec!["GET", "HEAD"]));
        }
        let gzip = self.gzip.filter(|_| takes_gzip(&head.headers));
        let content = gzip.map_or_else(|| (self.content)(&app.document), |gzip| gzip());
        let mut answer = Response::new(Body::from(content.clone()));
        let headers = answer.headers_mut();
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
        Ok(answer)
    }
}

/// Whether gzip is named, and not with the weight 0 (RFC 9110, section 12.5.3).
fn takes_gzip(headers: &HeaderMap) -> bool {
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
    use crate::api::OPERATIONS;

    #[test]
    fn no_operation_of_the_contract_has_the_path_of_a_page() {
        assert_eq!(in_the_way(OPERATIONS), None);
    }

    #[test]
    fn an_operation_with_the_path_of_a_page_is_seen() {
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
            let found = [operation];
            let found = in_the_way(&found).map(|(_, page)| page);
            assert_eq!(found, page, "{path}");
        }
    }

    #[test]
    fn gzip_is_sent_to_those_who_take_it() {
        for (accepted, taken) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip; q=0", false),
            ("gzip;q=0.0, br", false),
            ("identity", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            assert_eq!(takes_gzip(&headers), taken, "{accepted}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
