//! What is served without a key beside the API: its document.

use super::{answer::Rejection, route};
use dropshot::Body;
use http::{HeaderValue, Method, Response, header::CONTENT_TYPE};

/// A page that is part of the binary.
pub(super) struct Page {
    pub(super) path: &'static str,
    content_type: &'static str,
    content: &'static str,
}

const PAGES: &[Page] = &[Page {
    path: "/v1/openapi.yaml",
    // RFC 9512
    content_type: "application/yaml",
    content: include_str!("../../../../spec/openapi.yaml"),
}];

/// The page at a path.
pub(super) fn find(path: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.path == path)
}

impl Page {
    pub(super) fn answer(&self, method: &Method) -> Result<Response<Body>, Rejection> {
        if ![Method::GET, Method::HEAD].contains(method) {
            return Err(route::not_allowed(method, vec!["GET", "HEAD"]));
        }
        let mut answer = Response::new(Body::from(self.content));
        answer
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        Ok(answer)
    }
}
