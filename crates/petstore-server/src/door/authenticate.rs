//! Whose request it is: reads the key of `Authorization: Bearer` (RFC 6750) and
//! looks it up. A key with a wrong checksum never reaches the store.

use super::{answer::Rejection, deadline};
use crate::api::{ErrorCode, Refusal};
use crate::{app::App, keys::ApiKey, service};
use http::{
    HeaderMap, HeaderValue,
    header::{AUTHORIZATION, WWW_AUTHENTICATE},
};
use petstore_store::KeyId;

const NO_KEY: &str = "send an API key as `Authorization: Bearer <API_KEY>`";
const MALFORMED: &str = "the API key is mistyped, cut short or not of this service; send it as `Authorization: Bearer <API_KEY>`";
const UNKNOWN: &str = "the API key is unknown or revoked; send a valid one";

/// The key that a request shows.
pub(super) fn key(headers: &HeaderMap) -> Result<ApiKey, Rejection> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(challenge(NO_KEY, "Bearer realm=\"petstore\""));
    };
    match value.to_str().ok().and_then(bearer) {
        None => Err(challenge(NO_KEY, "Bearer realm=\"petstore\"")),
        Some(text) => text.parse().map_err(|_| invalid(MALFORMED)),
    }
}

/// The credential, where the scheme is the right one in any case.
fn bearer(value: &str) -> Option<&str> {
    let (scheme, credential) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| credential.trim_matches(' '))
}

/// Asks the store for the key, not longer than a request may take.
pub(super) async fn look_up(app: &App, key: &ApiKey, request_id: &str) -> Result<KeyId, Rejection> {
    let hash = key.hash();
    let found = deadline::within(&app.limits, app.store.find_key(&hash)).await?;
    match found.map_err(|error| service::refusal(&error, request_id))? {
        Some(id) => Ok(id),
        None => Err(invalid(UNKNOWN)),
    }
}

fn invalid(message: &'static str) -> Rejection {
    challenge(
        message,
        "Bearer realm=\"petstore\", error=\"invalid_token\"",
    )
}

fn challenge(message: &'static str, challenge: &'static str) -> Rejection {
    Rejection::from(Refusal::new(ErrorCode::Unauthorized, message))
        .with(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
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

    fn message(values: &[&str]) -> String {
        key(&with(values))
            .expect_err("refused")
            .refusal
            .message
            .into_owned()
    }

    #[test]
    fn the_scheme_is_taken_in_any_case() {
        let sent = ApiKey::generate();
        for scheme in ["Bearer", "bearer", "BEARER", "Bearer  "] {
            let headers = with(&[&format!("{scheme} {}", sent.reveal())]);
            assert_eq!(key(&headers).ok(), Some(sent.clone()), "{scheme}");
        }
    }

    #[test]
    fn without_a_bearer_credential_the_answer_says_how_to_send_one() {
        for values in [
            &[][..],
            &["Basic eDp5"],
            &["Bearer"],
            &["petstore_x"],
            &["Bearer a", "Bearer b"],
            &["Bearer \u{e9}"],
        ] {
            assert_eq!(message(values), NO_KEY, "{values:?}");
        }
    }

    #[test]
    fn a_mistyped_key_is_refused_before_the_store_is_asked() {
        for value in ["Bearer x", "Bearer petstore_0", "Bearer  "] {
            assert_eq!(message(&[value]), MALFORMED, "{value}");
        }
    }
}
