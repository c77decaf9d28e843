//! The one place where an error becomes an answer: `{code, message, status}`
//! with the headers that belong to its code. Which error it is, is left to the
//! steps of the door.

use dropshot::Body;
use http::{
    HeaderName, HeaderValue, Response, StatusCode,
    header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER},
};
use petstore_api::{ErrorCode, Refusal};

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
            tracing::error!(request_id, %code, "{detail}");
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
            ErrorCode::Overloaded | ErrorCode::Unavailable => {
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

fn body(refusal: &Refusal) -> Vec<u8> {
    serde_json::to_vec(&refusal.body()).expect("two texts and a number can always be written")
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
                code.status() == 503
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
}
