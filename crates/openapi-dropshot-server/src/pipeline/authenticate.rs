//! Authenticates a request: reads the credential of `Authorization: Bearer` (RFC 6750), or of a
//! header that the document names (`apiKey`), and passes it to the state of the service, which
//! returns the principal. Checks that the scope of
//! the principal allows the operation.

use super::{context::Context, deadline, error_response::ErrorResponse, requests::Cost};
use crate::{
    connections::Activity,
    permissions::Permissions,
    state::{AuthenticationError, State},
};
use chrono::SecondsFormat;
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{AUTHORIZATION, WWW_AUTHENTICATE},
};
use openapi_dropshot_types::{Condition, Operation};
use std::{borrow::Cow, pin::pin, task::Poll};

const UNKNOWN: &str = "the API key is unknown or revoked; send a valid one";

/// The principal of a request and its limits, found within the time that a request may take. If it
/// is not known at once, the request counts as one without a principal; those are not rejected
/// where there are too many, since they may have a valid key, but others are closed.
pub(super) async fn principal<S: State>(
    context: &Context<S>,
    (headers, cost): (&HeaderMap, &Cost),
    activity: &Activity,
    request_id: &str,
) -> Result<(S::Principal, Permissions), ErrorResponse> {
    let reject = |message: Cow<'static, str>, parameters| {
        ErrorResponse::new(Condition::Unauthorized, message)
            .with(WWW_AUTHENTICATE, challenge(context, parameters))
    };
    let invalid = |message| reject(message, ", error=\"invalid_token\"");
    let names = &context.key_headers;
    let credential = credential(headers, names).ok_or_else(|| {
        let message = format!("send an API key {}", place_of_key(names));
        reject(message.into(), "")
    })?;
    let mut principal = pin!(context.state.authenticate(credential));
    let found = match futures::poll!(principal.as_mut()) {
        Poll::Ready(found) => found,
        Poll::Pending => {
            let share = cost.take(&context.request_budget, None);
            if share.is_err() {
                activity.close_stranger();
            }
            deadline::within(&context.limits, principal).await?
        }
    };
    let is_unknown = |error: &_| !matches!(error, AuthenticationError::Failed(_));
    if found.as_ref().is_err_and(is_unknown) {
        // Its key may have been revoked.
        activity.distrust();
    }
    match found {
        Ok(principal) => {
            let permissions = S::permissions(&principal);
            match permissions.expires_at {
                Some(at) if at <= context.now() => {
                    activity.distrust();
                    let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
                    let message = format!("the API key expired at {at}; send a valid one");
                    Err(invalid(message.into()))
                }
                _ => Ok((principal, permissions)),
            }
        }
        Err(AuthenticationError::Malformed) => {
            let place = place_of_key(names);
            let message = format!(
                "the API key is mistyped, cut short or not of this service; send it {place}"
            );
            Err(invalid(message.into()))
        }
        Err(AuthenticationError::Unknown) => Err(invalid(UNKNOWN.into())),
        Err(AuthenticationError::Failed(error)) => Err(ErrorResponse::of_state(error, request_id)),
    }
}

/// Says where a client sends its key: in the first header that the document names, if it names one.
fn place_of_key(names: &[HeaderName]) -> Cow<'static, str> {
    match names.first() {
        Some(name) => format!("in the header `{name}`").into(),
        None => "as `Authorization: Bearer <API_KEY>`".into(),
    }
}

/// 403 if the scope of the principal does not allow the operation.
pub(super) fn check_scope<S: State>(
    context: &Context<S>,
    permissions: &Permissions,
    operation: &Operation,
) -> Result<(), ErrorResponse> {
    let scope = permissions.scope;
    if scope.allows(operation.method) {
        return Ok(());
    }
    let message = format!(
        "this API key has the scope `{scope}`, and this operation requires `write`; use a key with the scope `read,write`"
    );
    let parameters = ", error=\"insufficient_scope\", scope=\"write\"";
    Err(ErrorResponse::new(Condition::InsufficientScope, message)
        .with(WWW_AUTHENTICATE, challenge(context, parameters)))
}

fn challenge<S: State>(context: &Context<S>, parameters: &str) -> HeaderValue {
    let realm = context.info.name;
    HeaderValue::try_from(format!("Bearer realm=\"{realm}\"{parameters}"))
        .expect("the name of a service is letters and digits")
}

/// The credential of the one `Authorization` header, if its scheme is `Bearer`, or else of one of
/// these headers.
fn credential<'h>(headers: &'h HeaderMap, names: &[HeaderName]) -> Option<&'h str> {
    let text = |name: &HeaderName| {
        let mut values = headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (Some(value), None) => value.to_str().ok(),
            _ => None,
        }
    };
    text(&AUTHORIZATION)
        .and_then(bearer)
        .or_else(|| names.iter().find_map(text))
}

/// The credential in the value of `Authorization`, if its scheme is `Bearer`.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, credential) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| credential.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(values: &[&str]) -> HeaderMap {
        let value = |text: &&str| HeaderValue::from_bytes(text.as_bytes()).expect("a header value");
        values
            .iter()
            .map(|text| (AUTHORIZATION, value(text)))
            .collect()
    }

    #[test]
    fn the_scheme_is_accepted_in_any_case() {
        for scheme in ["Bearer", "bearer", "BEARER", "Bearer  "] {
            let headers = with(&[&format!("{scheme} shop_x")]);
            assert_eq!(credential(&headers, &[]), Some("shop_x"), "{scheme}");
        }
    }

    #[test]
    fn other_headers_have_no_credential() {
        for values in [
            &[][..],
            &["Basic eDp5"],
            &["Bearer"],
            &["shop_x"],
            &["Bearer a", "Bearer b"],
            &["Bearer \u{e9}"],
        ] {
            assert_eq!(credential(&with(values), &[]), None, "{values:?}");
        }
    }

    #[test]
    fn messages_name_the_header_of_the_document() {
        let own = HeaderName::from_static("x-print-key");
        assert_eq!(place_of_key(&[own]), "in the header `x-print-key`");
        assert_eq!(place_of_key(&[]), "as `Authorization: Bearer <API_KEY>`");
    }

    #[test]
    fn a_key_can_be_in_a_header_of_the_document() {
        const KEY: HeaderName = HeaderName::from_static("x-key");
        let mut headers = with(&[]);
        headers.insert(KEY, HeaderValue::from_static("shop_x"));
        assert_eq!(credential(&headers, &[]), None);
        assert_eq!(credential(&headers, &[KEY]), Some("shop_x"));
        headers.append(KEY, HeaderValue::from_static("shop_y"));
        assert_eq!(credential(&headers, &[KEY]), None);
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer shop_z"));
        assert_eq!(credential(&headers, &[KEY]), Some("shop_z"));
    }
}
