//! Errors as they come about: from what reqwest says, and from what was answered.

use super::{Error, ErrorKind, is_request_id, request_id};
use crate::{
    retry::{self, Record},
    types::ErrorCode,
};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use std::{error, fmt};

/// How much of an answer that is an error is read. The Error body is far
/// smaller; what is not one is not worth more.
const MOST_READ: usize = 64 * 1024;

impl Error {
    pub(super) fn caused_by(mut self, source: impl error::Error + Send + Sync + 'static) -> Self {
        self.inner.source = Some(Box::new(source));
        self
    }

    fn answered(mut self, status: StatusCode, headers: &HeaderMap) -> Self {
        self.inner.status = Some(status);
        self.inner.request_id = request_id(headers).map(str::to_owned);
        self.inner.retry_after = retry::retry_after(status, headers);
        self
    }

    /// A parameter that was refused.
    pub(crate) fn invalid_request(message: String) -> Self {
        Error::new(ErrorKind::Request, message)
    }

    /// A request that could not be put together.
    pub(crate) fn not_built(source: reqwest::Error) -> Self {
        Error::new(
            ErrorKind::Request,
            "the request cannot be put together".to_owned(),
        )
        .caused_by(source.without_url())
    }

    /// A request that was not answered.
    pub(crate) fn not_answered(operation_id: &str, base_url: &str, source: reqwest::Error) -> Self {
        let (kind, message) = if source.is_connect() {
            (
                ErrorKind::Connect,
                format!("the service at {base_url} cannot be reached for `{operation_id}`"),
            )
        } else if source.is_timeout() {
            return Error::timed_out(operation_id).caused_by(source.without_url());
        } else {
            (
                ErrorKind::Interrupted,
                format!(
                    "the connection broke during `{operation_id}`; whether it happened is unknown"
                ),
            )
        };
        Error::new(kind, message).caused_by(source.without_url())
    }

    /// A try that took too long.
    pub(crate) fn timed_out(operation_id: &str) -> Self {
        let message = format!("`{operation_id}` took too long; whether it happened is unknown");
        Error::new(ErrorKind::Timeout, message)
    }

    /// A call whose end nobody will hear of.
    #[cfg(feature = "blocking")]
    pub(crate) fn panicked() -> Self {
        let message = "the call panicked; whether it happened is unknown";
        Error::new(ErrorKind::Interrupted, message.to_owned())
    }

    /// There is no thread that could send a request.
    #[cfg(feature = "blocking")]
    pub(crate) fn no_runtime(source: &std::io::Error) -> Self {
        let message = format!("requests cannot be sent from this program ({source})");
        Error::new(ErrorKind::Request, message)
    }

    /// A success that broke off while it was read.
    pub(crate) fn broken_off(
        status: StatusCode,
        headers: &HeaderMap,
        source: reqwest::Error,
    ) -> Self {
        let (kind, message) = if source.is_timeout() {
            (ErrorKind::Timeout, "the answer took too long to arrive")
        } else {
            (
                ErrorKind::Interrupted,
                "the connection broke before the answer was complete",
            )
        };
        Error::new(kind, message.to_owned())
            .answered(status, headers)
            .caused_by(source.without_url())
    }

    /// A success that is not what the document says.
    pub(crate) fn unreadable(
        status: StatusCode,
        headers: &HeaderMap,
        reason: impl fmt::Display,
    ) -> Self {
        let message =
            format!("the answer is not what this version of the client expects: {reason}");
        Error::new(ErrorKind::Unreadable, message).answered(status, headers)
    }

    /// An answer that is an error, whoever sent it.
    pub(crate) async fn from_response(response: reqwest::Response) -> Self {
        let status = response.status();
        let headers = response.headers().clone();
        let record = response.extensions().get::<Record>().cloned();
        let body = ErrorBody::read(response).await;
        let message = body.message.unwrap_or_else(|| without_body(status));
        let mut error = Error::new(ErrorKind::Answer, message).answered(status, &headers);
        error.inner.code = body.code;
        error.inner.record = record.unwrap_or_default();
        error.inner.request_id = error
            .inner
            .request_id
            .or(body.request_id.filter(|id| is_request_id(id)));
        error
    }
}

/// What is read of an Error body; each member may be missing where somebody
/// else than the service answers.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorBody {
    code: Option<ErrorCode>,
    message: Option<String>,
    request_id: Option<String>,
}

impl ErrorBody {
    /// The body, or nothing where it is none: the status counts in any case.
    async fn read(mut response: reqwest::Response) -> Self {
        let mut text = Vec::new();
        while let Ok(Some(chunk)) = response.chunk().await {
            text.extend_from_slice(&chunk);
            if text.len() > MOST_READ {
                return ErrorBody::default();
            }
        }
        serde_json::from_slice(&text).unwrap_or_default()
    }
}

/// What to say of an answer without an Error body.
fn without_body(status: StatusCode) -> String {
    let advice = match status.as_u16() {
        300..=399 => {
            "it redirects, and the service never does; check the base URL, and whether it needs `https`"
        }
        502..=504 => "a proxy seems to answer in place of the service; try again later",
        200..=299 => "a success that the document does not list; a newer client may know it",
        _ => "it has no Error body; check that the base URL is that of the service",
    };
    let reason = status
        .canonical_reason()
        .map(|reason| format!(" {reason}"))
        .unwrap_or_default();
    format!("the answer is {}{reason}: {advice}", status.as_u16())
}
