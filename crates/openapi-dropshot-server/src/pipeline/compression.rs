//! Compresses responses for clients that accept gzip.

use super::{pages::accepts_gzip, unsent::in_memory};
use bytes::Bytes;
use dropshot::Body;
use flate2::{Compression, write::GzEncoder};
use http::{
    HeaderMap, HeaderValue, Response,
    header::{ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, VARY},
};
use hyper::body::Body as _;
use std::io::Write as _;

/// A smaller body does not become smaller enough to be worth the time.
const SMALLEST: u64 = 512;

/// Compresses a response, if its type is worth it and the client accepts it.
pub(super) fn apply(request: &HeaderMap, response: Response<Body>) -> Response<Body> {
    let headers = response.headers();
    if headers.contains_key(CONTENT_ENCODING) || !is_compressible(headers) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    head.headers
        .append(VARY, HeaderValue::from_static("Accept-Encoding"));
    let is_large = matches!(body.size_hint().exact(), Some(size) if size >= SMALLEST);
    if !is_large || head.headers.contains_key(CONTENT_RANGE) || !accepts_gzip(request) {
        return Response::from_parts(head, body);
    }
    let content = match in_memory(body) {
        Ok(content) => content,
        Err(body) => return Response::from_parts(head, body),
    };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.remove(ACCEPT_RANGES);
    head.headers
        .insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(head, Body::from(gzip(&content)))
}

fn gzip(content: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(content.len() / 4), Compression::fast());
    let compressed = encoder.write_all(content).and_then(|()| encoder.finish());
    compressed.expect("memory can be written").into()
}

fn is_compressible(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    media_type.is_some_and(|media_type| {
        media_type.starts_with(b"application/json")
            || media_type.starts_with(b"text/")
            || media_type.ends_with(b"+json")
    })
}
