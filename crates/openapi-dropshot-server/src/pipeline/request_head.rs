//! Checks the head of every request according to the rules of HTTP (RFC 9110 and 9112).

use super::error_response::ErrorResponse;
use http::{
    HeaderMap, HeaderValue, Version,
    header::{CONNECTION, EXPECT, HOST, TRANSFER_ENCODING},
    request::Parts,
    uri::Authority,
};
use openapi_dropshot_types::Condition;

/// Responds with 400 to a request without `Host` or with two different hosts, with a user name in its
/// target, with an unknown `Transfer-Encoding`, or with an unknown `Expect`.
pub(super) fn check(head: &Parts) -> Result<(), ErrorResponse> {
    let problem = host(head)
        .or_else(|| authority(head))
        .or_else(|| transfer_encoding(&head.headers))
        .or_else(|| expect(&head.headers));
    match problem {
        None => Ok(()),
        // The client may mean the following bytes differently from how the service would parse them.
        Some(problem) => Err(ErrorResponse::new(Condition::InvalidRequest, problem)
            .with(CONNECTION, HeaderValue::from_static("close"))),
    }
}

/// See RFC 9112, section 3.2. HTTP/2 has `:authority` instead.
fn host(head: &Parts) -> Option<&'static str> {
    let mut hosts = head.headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if head.version == Version::HTTP_11 => {
            Some("a request of HTTP/1.1 needs the header `Host`; send it")
        }
        (Some(_), Some(_)) => Some("the header `Host` occurs more than once; send it once"),
        (Some(host), None) if !is_host(host) => {
            Some("the header `Host` is not a host name with an optional port; send a valid one")
        }
        _ => None,
    }
}

/// See RFC 9110, section 4.2.4, and RFC 9113, section 8.3.1. In HTTP/1.1, the host of the target
/// replaces the header `Host` (RFC 9112, section 3.2.2).
fn authority(head: &Parts) -> Option<&'static str> {
    let target = head.uri.authority()?;
    if target.as_str().contains('@') {
        return Some(
            "the target of the request contains a user name; send only the host and the port",
        );
    }
    let host = head.headers.get(HOST)?;
    if head.version != Version::HTTP_2 || host.as_bytes() == target.as_str().as_bytes() {
        return None;
    }
    let default_port = match head.uri.scheme_str() {
        Some("https") => 443,
        _ => 80,
    };
    let is_same = Authority::try_from(host.as_bytes()).is_ok_and(|host| {
        let port = |authority: &Authority| authority.port_u16().unwrap_or(default_port);
        host.host().eq_ignore_ascii_case(target.host()) && port(&host) == port(target)
    });
    (!is_same)
        .then_some("the header `Host` and `:authority` name different hosts; send only one of them")
}

/// A client sends an empty `Host` if its URL has no host.
fn is_host(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    if bytes.is_empty() || is_plain_host(bytes) {
        return true;
    }
    // Proxies put a comma between two hosts.
    if bytes.contains(&b',') {
        return false;
    }
    let Ok(authority) = Authority::try_from(bytes) else {
        return false;
    };
    let host = authority.host();
    let port = authority.as_str().strip_prefix(host);
    !host.is_empty()
        && port.is_some_and(|port| {
            let digits = port.strip_prefix(':').unwrap_or(port);
            digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

/// Whether the host is a name or an IPv4 address, with an optional port. Almost all hosts are, and
/// this check is faster than parsing them.
fn is_plain_host(bytes: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let name = bytes.iter().take_while(|byte| is_name(byte)).count();
    let port = match bytes[name..].split_first() {
        None => return true,
        Some((b':', port)) => port,
        Some(_) => return false,
    };
    name > 0 && port.iter().all(u8::is_ascii_digit)
}

/// See RFC 9112, section 6.1: the service supports no other transfer coding.
fn transfer_encoding(headers: &HeaderMap) -> Option<&'static str> {
    let mut codings = headers.get_all(TRANSFER_ENCODING).iter();
    codings
        .any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked"))
        .then_some("the header `Transfer-Encoding` may only be `chunked`; send the body without another coding")
}

/// See RFC 9110, section 10.1.1.
fn expect(headers: &HeaderMap) -> Option<&'static str> {
    let mut expectations = headers.get_all(EXPECT).iter();
    expectations
        .any(|expected| !expected.as_bytes().eq_ignore_ascii_case(b"100-continue"))
        .then_some("the header `Expect` may only be `100-continue`; send the request without it")
}

#[cfg(test)]
mod tests;
