//! Authenticates a request: reads the credential of `Authorization: Bearer` (RFC 6750) and
//! passes it to the state of the service, which returns the principal.

use super::{context::Context, deadline, error_response::ErrorResponse};
use crate::state::{AuthenticationError, State};
use http::{
    HeaderMap, HeaderValue,
    header::{AUTHORIZATION, WWW_AUTHENTICATE},
};
use openapi_dropshot_types::Condition;

const NO_KEY: &str = "send an API key as `Authorization: Bearer <API_KEY>`";
const MALFORMED: &str = "the API key is mistyped, cut short or not of this service; send it as `Authorization: Bearer <API_KEY>`";
const UNKNOWN: &str = "the API key is unknown or revoked; send a valid one";

/// The principal of a request, found within the time that a request may take.
pub(super) async fn principal<S: State>(
    context: &Context<S>,
    headers: &HeaderMap,
    request_id: &str,
) -> Result<S::Principal, ErrorResponse> {
    let realm = context.info.name;
    let reject = |message, parameters: &str| {
        let challenge = HeaderValue::try_from(format!("Bearer realm=\"{realm}\"{parameters}"))
            .expect("the name of a service is letters and digits");
        ErrorResponse::new(Condition::Unauthorized, message).with(WWW_AUTHENTICATE, challenge)
    };
    let invalid = |message| reject(message, ", error=\"invalid_token\"");
    let credential = credential(headers).ok_or_else(|| reject(NO_KEY, ""))?;
    let principal = context.state.authenticate(credential);
    match deadline::within(&context.limits, principal).await? {
        Ok(principal) => Ok(principal),
        Err(AuthenticationError::Malformed) => Err(invalid(MALFORMED)),
        Err(AuthenticationError::Unknown) => Err(invalid(UNKNOWN)),
        Err(AuthenticationError::Failed(error)) => Err(ErrorResponse::of_state(error, request_id)),
    }
}

/// The credential of the one `Authorization` header, if its scheme is `Bearer`.
fn credential(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, credential) = value.to_str().ok()?.split_once(' ')?;
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
            assert_eq!(credential(&headers), Some("shop_x"), "{scheme}");
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
            assert_eq!(credential(&with(values)), None, "{values:?}");
        }
    }
}
