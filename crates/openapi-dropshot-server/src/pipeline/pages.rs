//! Serves the pages that need no key: the document of the API, and the page that shows it.

use super::{
    compression::{accepts_gzip, gzip},
    error_response::ErrorResponse,
    route::RouteError,
};
use crate::{ServiceInfo, config::Switch, docs, document::Document};
use bytes::Bytes;
use dropshot::{Body, NoCompression};
use flate2::Compression;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
        IF_NONE_MATCH, LOCATION, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
    },
    request::Parts,
};
use openapi_dropshot_types::Operation;
use sha2::{Digest as _, Sha256};
use std::{fmt::Write as _, sync::LazyLock};

/// A page that needs no key, and its representations.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) path: &'static str,
    content_type: &'static str,
    headers: &'static [(HeaderName, &'static str)],
    plain: Lazy,
    /// `None` if compression is switched off.
    gzip: Option<Lazy>,
}

/// A representation that is created once, when it is first requested.
type Lazy = LazyLock<Representation, Box<dyn FnOnce() -> Representation + Send>>;

/// The bytes of a page, uncompressed or compressed with gzip, with a strong validator of exactly these bytes (RFC 9110,
/// section 8.8.3.3).
#[derive(Debug)]
struct Representation {
    bytes: Bytes,
    etag: HeaderValue,
}

const SAFE: (HeaderName, &str) = (X_CONTENT_TYPE_OPTIONS, "nosniff");
/// After an upgrade, the page and the script must match the document. Clients cache them, but check each time whether they
/// have changed.
const FRESH: (HeaderName, &str) = (CACHE_CONTROL, "no-cache");
const HTML_HEADERS: &[(HeaderName, &str)] = &[
    (CONTENT_SECURITY_POLICY, docs::POLICY),
    (REFERRER_POLICY, "no-referrer"),
    SAFE,
    FRESH,
];
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The path of the page that shows the document.
const DOCS: &str = "/docs";

/// The pages of a server.
#[derive(Debug)]
pub(super) struct Pages {
    pages: [Page; 5],
    /// The paths that redirect to [`DOCS`]: the root and the base path of the operations.
    leading: [&'static str; 2],
}

impl Pages {
    /// Creates the pages of an API with this title. The document is served below the base path.
    pub(super) fn new(
        document: Document,
        info: &ServiceInfo,
        title: &str,
        base: &'static str,
        compression: Switch,
    ) -> Self {
        let [docs_page, docs_script] = docs::page_and_script(info, title, base);
        // A process has few servers, so their paths may be kept until the process ends.
        let below_base = |name: &str| -> &'static str { format!("{base}/{name}").leak() };
        let page = |path, content_type, bytes: Bytes, headers| {
            Page::new(path, content_type, move || bytes, headers, compression)
        };
        let pages = [
            // RFC 9512
            page(
                below_base("openapi.yaml"),
                "application/yaml",
                document.yaml,
                &[FRESH],
            ),
            page(
                below_base("openapi.json"),
                "application/json",
                document.json,
                &[FRESH],
            ),
            page(DOCS, "text/html; charset=utf-8", docs_page, HTML_HEADERS),
            page("/docs/init.js", SCRIPT, docs_script, &[SAFE, FRESH]),
            // Decompressed at the first request.
            Page::new(
                "/docs/scalar.js",
                SCRIPT,
                || docs::VIEWER.clone(),
                &[SAFE, (CACHE_CONTROL, "public, max-age=86400")],
                compression,
            ),
        ];
        Pages {
            pages,
            leading: ["/", base],
        }
    }

    /// If the request is for the root or the base path, returns this path and the redirection to the page that shows the
    /// document.
    pub(super) fn redirect(&self, head: &Parts) -> Option<(&'static str, Response<Body>)> {
        let mut leading = self.leading.into_iter();
        let path = leading.find(|path| head.uri.path() == *path)?;
        [Method::GET, Method::HEAD].contains(&head.method).then(|| {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::FOUND;
            let docs = HeaderValue::from_static(DOCS);
            response.headers_mut().insert(LOCATION, docs);
            (path, response)
        })
    }

    pub(super) fn find(&self, path: &str) -> Option<&Page> {
        self.pages.iter().find(|page| page.path == path)
    }

    /// Checks that no page has the path of an operation. A page takes precedence over a path template that matches its path,
    /// just as a path without variables takes precedence in the document.
    pub(super) fn check(&self, operations: &[Operation], base: &str) -> Result<(), RouteError> {
        for page in &self.pages {
            let path = page.path.strip_prefix(base).unwrap_or_default();
            let mut operations = operations.iter();
            if let Some(hidden) = operations.find(|operation| operation.path == path) {
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

impl Page {
    fn new(
        path: &'static str,
        content_type: &'static str,
        content: impl FnOnce() -> Bytes + Clone + Send + 'static,
        headers: &'static [(HeaderName, &'static str)],
        compression: Switch,
    ) -> Self {
        let plain = content.clone();
        let gzip = move || Representation::of(gzip(&content(), Compression::default()));
        Page {
            path,
            content_type,
            headers,
            plain: LazyLock::new(Box::new(move || Representation::of(plain()))),
            gzip: compression
                .is_on()
                .then(|| LazyLock::new(Box::new(gzip) as _)),
        }
    }

    pub(super) fn respond(&self, head: &Parts) -> Result<Response<Body>, ErrorResponse> {
        if ![Method::GET, Method::HEAD].contains(&head.method) {
            let error = ErrorResponse::method_not_allowed(&head.method, &["GET", "HEAD"]);
            return Err(error);
        }
        let gzip = self.gzip.as_ref();
        let gzip = gzip.filter(|_| accepts_gzip(&head.headers));
        let representation: &Representation = gzip.unwrap_or(&self.plain);
        let mut response = Response::new(Body::empty());
        // The response is not compressed in any other place.
        response.extensions_mut().insert(NoCompression);
        let headers = response.headers_mut();
        headers.insert(ETAG, representation.etag.clone());
        if self.gzip.is_some() {
            headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        }
        for (name, value) in self.headers {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if is_known(&head.headers, &representation.etag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return Ok(response);
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        if gzip.is_some() {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        *response.body_mut() = Body::from(representation.bytes.clone());
        Ok(response)
    }
}

impl Representation {
    fn of(bytes: Bytes) -> Self {
        let hash = Sha256::digest(&bytes);
        let mut etag = String::from('"');
        for byte in &hash[..16] {
            let _ = write!(etag, "{byte:02x}");
        }
        etag.push('"');
        Representation {
            bytes,
            etag: HeaderValue::try_from(etag).expect("hexadecimal digits in quotes"),
        }
    }
}

/// Whether the client already has this representation (RFC 9110, section 13.1.2). The comparison is weak, because a proxy may
/// have made the validator weak.
fn is_known(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter();
    lists
        .flat_map(|list| list.as_bytes().split(|byte| *byte == b','))
        .any(|one| {
            let one = one.trim_ascii();
            one == b"*" || one.strip_prefix(b"W/").unwrap_or(one) == etag.as_bytes()
        })
}

#[cfg(test)]
mod tests;
