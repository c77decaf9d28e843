//! Compresses responses for clients that accept gzip.

use super::unsent::in_memory;
use bytes::Bytes;
use dropshot::Body;
use flate2::{Compression, write::GzEncoder};
use http::{
    HeaderMap, HeaderValue, Response,
    header::{
        ACCEPT_ENCODING, ACCEPT_RANGES, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE,
        CONTENT_TYPE, VARY,
    },
};
use hyper::body::Body as _;
use std::io::Write as _;

/// Compressing a smaller body saves too little to justify the time.
const SMALLEST: u64 = 512;

/// Compresses a response if its media type compresses well and the client accepts it.
pub(super) fn apply(response: Response<Body>, is_accepted: bool) -> Response<Body> {
    let headers = response.headers();
    if headers.contains_key(CONTENT_ENCODING) || !is_compressible(headers) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    head.headers
        .append(VARY, HeaderValue::from_static("Accept-Encoding"));
    let is_large = matches!(body.size_hint().exact(), Some(size) if size >= SMALLEST);
    if !is_large || head.headers.contains_key(CONTENT_RANGE) || !is_accepted {
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
    Response::from_parts(head, Body::from(gzip(&content, Compression::fast())))
}

pub(super) fn gzip(content: &[u8], level: Compression) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(content.len() / 4), level);
    let compressed = encoder.write_all(content).and_then(|()| encoder.finish());
    let mut compressed = compressed.expect("memory can be written");
    // The response may wait for its client for a long time, so it should not keep unused memory.
    compressed.shrink_to_fit();
    compressed.into()
}

fn is_compressible(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    media_type.is_some_and(|media_type| {
        media_type.starts_with(b"application/json")
            || media_type.starts_with(b"text/")
            || media_type.ends_with(b"+json")
    })
}

/// Whether gzip has a weight above 0 and `identity` does not have a higher one (RFC 9110, section
/// 12.5.3). `*` applies to gzip if gzip is not listed.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let (mut gzip, mut any, mut identity) = (None, None, None);
    let lists = headers.get_all(ACCEPT_ENCODING).iter();
    let lists = lists.filter_map(|value| value.to_str().ok());
    for coding in lists.flat_map(|list| list.split(',')) {
        let (name, parameter) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let (_, weight) = parameter.split_once('=').unwrap_or_default();
        let weight: f32 = weight.trim().parse().unwrap_or(1.0);
        let weights = match name.trim() {
            name if name.eq_ignore_ascii_case("gzip") => &mut gzip,
            name if name.eq_ignore_ascii_case("identity") => &mut identity,
            "*" => &mut any,
            _ => continue,
        };
        *weights = Some(weight);
    }
    let gzip = gzip.or(any).unwrap_or(0.0);
    gzip > 0.0 && gzip >= identity.unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        for (header, accepted) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip; q=0", false),
            ("gzip;q=0.0, br", false),
            ("identity", false),
            ("gzip, identity;q=0.5", true),
            ("gzip;q=0.5, identity", false),
            ("*", true),
            ("*;q=0", false),
            ("gzip;q=0, *", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(header));
            assert_eq!(accepts_gzip(&headers), accepted, "{header}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
