//! The one place where an error becomes an answer: `{code, message, status}`
//! with the headers that belong to its code. Which error it is, is left to the
//! steps of the door.

use crate::api::{ErrorCode, Refusal};
use dropshot::Body;
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER},
};

/// A refusal on its way out, with headers that only its step knows.
#[derive(Debug)]
pub(super) struct Rejection {
    pub(super) refusal: Refusal,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Rejection {
    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The answer. What only the log may know goes there.
    pub(super) fn into_answer(self, request_id: &str) -> Response<Body> {
        let Refusal { code, detail, .. } = &self.refusal;
        if let Some(detail) = detail {
            tracing::error!(request_id, code = code.as_str(), "{detail}");
        }
        let mut answer = Response::new(Body::from(body(&self.refusal)));
        *answer.status_mut() =
            StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match code {
            // What is still on its way belongs to this request, and must not
            // be taken for the next one.
            ErrorCode::RequestTimeout | ErrorCode::PayloadTooLarge => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            ErrorCode::Conflict | ErrorCode::Overloaded | ErrorCode::Unavailable => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        headers.extend(self.headers);
        answer
    }
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        Rejection {
            refusal,
            headers: Vec::new(),
        }
    }
}

/// Characters of the longest message: enough for every own one; what a reader
/// of bodies repeats of a value can be as long as the body.
const LONGEST_MESSAGE: usize = 512;

fn body(refusal: &Refusal) -> Vec<u8> {
    let mut body = refusal.body();
    if let Some((end, _)) = body.message.char_indices().nth(LONGEST_MESSAGE) {
        body.message.truncate(end);
        body.message.push('…');
    }
    serde_json::to_vec(&body).expect("two texts and a number can always be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_catalogue_has_its_status_and_a_json_body() {
        for &code in ErrorCode::ALL {
            let answer = Rejection::from(Refusal::new(code, "why")).into_answer("id");
            assert_eq!(answer.status().as_u16(), code.status());
            assert_eq!(answer.headers()[CONTENT_TYPE], "application/json");
            assert_eq!(
                answer.headers().contains_key(RETRY_AFTER),
                code == ErrorCode::Conflict || code.status() == 503
            );
        }
    }

    #[test]
    fn the_body_repeats_code_and_status() {
        let body = body(&Refusal::new(ErrorCode::NotFound, "there is none"));
        assert_eq!(
            body,
            br#"{"code":"not_found","message":"there is none","status":404}"#
        );
    }
    #[test]
    fn a_message_stays_short_whatever_it_repeats() {
        let refusal = Refusal::new(ErrorCode::InvalidRequest, "ü".repeat(900_000));
        let body: serde_json::Value = serde_json::from_slice(&body(&refusal)).expect("JSON");
        let message = body["message"].as_str().expect("a text");
        assert_eq!(message.chars().count(), LONGEST_MESSAGE + 1);
        assert!(message.ends_with('…'));
    }
}
