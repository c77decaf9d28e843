//! Authenticates a request: reads the credential of `Authorization: Bearer` (RFC 6750) and
//! passes it to the state of the service, which returns the principal.

use super::{deadline, error_response::ErrorResponse};
use crate::{
    ServiceInfo,
    config::Limits,
    state::{AuthenticationError, State},
};
use http::{
    HeaderMap, HeaderValue,
    header::{AUTHORIZATION, WWW_AUTHENTICATE},
};
use openapi_dropshot_types::Condition;

const NO_KEY: &str = "send an API key as `Authorization: Bearer <API_KEY>`";
const MALFORMED: &str = "the API key is mistyped, cut short or not of this service; send it as `Authorization: Bearer <API_KEY>`";
const UNKNOWN: &str = "the API key is unknown or revoked; send a valid one";

/// The values of `WWW-Authenticate` of one service.
#[derive(Debug)]
pub(super) struct Challenges {
    missing: HeaderValue,
    invalid: HeaderValue,
}

impl Challenges {
    pub(super) fn new(info: &ServiceInfo) -> Self {
        let value = |text: String| {
            HeaderValue::try_from(text).expect("the name of a service is letters and digits")
        };
        let realm = info.name;
        Challenges {
            missing: value(format!("Bearer realm=\"{realm}\"")),
            invalid: value(format!("Bearer realm=\"{realm}\", error=\"invalid_token\"")),
        }
    }

    fn missing(&self) -> ErrorResponse {
        ErrorResponse::new(Condition::Unauthorized, NO_KEY)
            .with(WWW_AUTHENTICATE, self.missing.clone())
    }

    fn invalid(&self, message: &'static str) -> ErrorResponse {
        ErrorResponse::new(Condition::Unauthorized, message)
            .with(WWW_AUTHENTICATE, self.invalid.clone())
    }
}

/// The principal of a request, found within the time that a request may take.
pub(super) async fn principal<S: State>(
    state: &S,
    limits: &Limits,
    challenges: &Challenges,
    headers: &HeaderMap,
    request_id: &str,
) -> Result<S::Principal, ErrorResponse> {
    let credential = credential(headers).ok_or_else(|| challenges.missing())?;
    match deadline::within(limits, state.authenticate(credential)).await? {
        Ok(principal) => Ok(principal),
        Err(AuthenticationError::Malformed) => Err(challenges.invalid(MALFORMED)),
        Err(AuthenticationError::Unknown) => Err(challenges.invalid(UNKNOWN)),
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
