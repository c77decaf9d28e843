//! Reads the credentials of a request from the places that the security schemes of the document define.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION, request::Parts};
use openapi_dropshot_types::{SchemeKind, Security, cookies};
use percent_encoding::percent_decode_str;
use std::{borrow::Cow, str};

/// The credential that a request has for a security scheme.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Found<'h> {
    Nothing,
    /// The request has several credentials, an empty one, or one that is not text.
    Unreadable,
    Text(Cow<'h, str>),
}

/// Whether a request has a credential for the operation, valid or not. For an operation that uses `Authorization`, this
/// header counts as a credential, whatever scheme it names.
pub(super) fn has_any(security: &Security, head: &Parts) -> bool {
    security.schemes().any(|scheme| {
        let is_authorization = scheme.kind.is_authorization();
        (is_authorization && head.headers.contains_key(AUTHORIZATION))
            || find(scheme.kind, head) != Found::Nothing
    })
}

/// Returns the credential of a request for a scheme.
pub(super) fn find<'h>(kind: SchemeKind<'static>, head: &'h Parts) -> Found<'h> {
    match kind {
        SchemeKind::Bearer | SchemeKind::Token => {
            authorization(&head.headers, "bearer", |text| Some(text.into()))
        }
        SchemeKind::Basic => authorization(&head.headers, "basic", user_and_password),
        SchemeKind::Header(name) => {
            let values = head.headers.get_all(name).iter();
            only(values.map(|value| value.to_str().ok().map(Cow::from)))
        }
        SchemeKind::Query(name) => {
            let pairs = head.uri.query().unwrap_or_default().split('&');
            let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
            let named = pairs.filter(|(key, _)| form_decoded(key).is_some_and(|key| key == name));
            only(named.map(|(_, value)| form_decoded(value)))
        }
        SchemeKind::Cookie(name) => {
            let own = cookies(&head.headers).filter(|(own, _)| *own == name.as_bytes());
            only(own.map(|(_, value)| str::from_utf8(value).ok().map(Cow::from)))
        }
    }
}

/// Returns the credential of the `Authorization` header, if there is exactly one and it is of this scheme (RFC 9110,
/// section 11.4).
fn authorization<'h>(
    headers: &'h HeaderMap,
    scheme: &str,
    read: fn(&'h str) -> Option<Cow<'h, str>>,
) -> Found<'h> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Found::Nothing,
        (Some(value), None) => value,
        _ => return Found::Unreadable,
    };
    let Ok(text) = HeaderValue::to_str(value) else {
        return Found::Unreadable;
    };
    let (name, credential) = text.split_at_checked(scheme.len()).unwrap_or((text, ""));
    let is_whole_name = credential.is_empty() || credential.starts_with(' ');
    if !is_whole_name || !name.eq_ignore_ascii_case(scheme) {
        return Found::Nothing;
    }
    only([credential.trim_matches(' ')].into_iter().map(read))
}

/// Decodes `user:password` (RFC 7617, in UTF-8).
fn user_and_password(encoded: &str) -> Option<Cow<'_, str>> {
    let text = String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok()?;
    text.contains(':').then_some(Cow::Owned(text))
}

/// Decodes a part of a query like a form.
fn form_decoded(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('+') {
        return percent_decode_str(text).decode_utf8().ok();
    }
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(Cow::Owned(decoded.into_owned()))
}

/// Returns the credential if there is exactly one. If there are several, it is unknown which one the client means, and
/// proxies may use another one.
fn only<'h>(mut found: impl Iterator<Item = Option<Cow<'h, str>>>) -> Found<'h> {
    match (found.next(), found.next()) {
        (None, _) => Found::Nothing,
        (Some(Some(text)), None) if !text.is_empty() => Found::Text(text),
        _ => Found::Unreadable,
    }
}
