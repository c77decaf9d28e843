//! Makes errors from the errors of reqwest and from error responses.

use super::{Error, ErrorKind, Failure, is_request_id, request_id};
use crate::retry::{self, Record};
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::{error, fmt};

/// How many bytes of an error response are read. An error body is far smaller.
const MOST_READ: usize = 64 * 1024;

impl<C> Error<C> {
    pub(super) fn caused_by(mut self, source: impl error::Error + Send + Sync + 'static) -> Self {
        self.inner.source = Some(Box::new(source));
        self
    }

    /// A call whose task panicked.
    #[cfg(feature = "blocking")]
    pub(crate) fn panicked() -> Self {
        let message = "the call panicked; it is unknown whether it was carried out";
        Error::new(ErrorKind::Interrupted, message.to_owned())
    }

    /// The runtime of blocking calls could not be started.
    #[cfg(feature = "blocking")]
    pub(crate) fn no_runtime(source: &std::io::Error) -> Self {
        let message = format!("requests cannot be sent from this program ({source})");
        Error::new(ErrorKind::Request, message)
    }
}

impl Failure {
    fn responded(mut self, status: StatusCode, headers: &HeaderMap) -> Self {
        self.inner.status = Some(status);
        self.inner.request_id = request_id(headers).map(str::to_owned);
        self.inner.retry_after = retry::retry_after(status, headers);
        self
    }

    /// A parameter was rejected.
    pub(crate) fn invalid_request(message: String) -> Self {
        Error::new(ErrorKind::Request, message)
    }

    /// The request could not be built.
    pub(crate) fn not_built(source: reqwest::Error) -> Self {
        Error::new(
            ErrorKind::Request,
            "the request cannot be put together".to_owned(),
        )
        .caused_by(source.without_url())
    }

    /// The request got no response.
    pub(crate) fn no_response(operation_id: &str, base_url: &str, source: reqwest::Error) -> Self {
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
                    "the connection broke during `{operation_id}`; it is unknown whether it was carried out"
                ),
            )
        };
        Error::new(kind, message).caused_by(source.without_url())
    }

    /// A try took too long.
    pub(crate) fn timed_out(operation_id: &str) -> Self {
        let message =
            format!("`{operation_id}` took too long; it is unknown whether it was carried out");
        Error::new(ErrorKind::Timeout, message)
    }

    /// The response was a success, and broke off while it was read.
    pub(crate) fn broken_off(
        status: StatusCode,
        headers: &HeaderMap,
        source: reqwest::Error,
    ) -> Self {
        let (kind, message) = if source.is_timeout() {
            (ErrorKind::Timeout, "the response took too long to arrive")
        } else {
            (
                ErrorKind::Interrupted,
                "the connection broke before the response was complete",
            )
        };
        Error::new(kind, message.to_owned())
            .responded(status, headers)
            .caused_by(source.without_url())
    }

    /// The response was a success that does not match the document.
    pub(crate) fn unreadable(
        status: StatusCode,
        headers: &HeaderMap,
        reason: impl fmt::Display,
    ) -> Self {
        let message =
            format!("the response is not what this version of the client expects: {reason}");
        Error::new(ErrorKind::Unreadable, message).responded(status, headers)
    }

    /// The response was an error, of the service or of something in front of it.
    pub(crate) async fn from_response(response: reqwest::Response) -> Self {
        let status = response.status();
        let headers = response.headers().clone();
        let record = response.extensions().get::<Record>().cloned();
        let body = read(response).await;
        // Some services wrap the error into a member.
        let members = body.as_ref().map(|body| match body.get("error") {
            Some(inner @ Value::Object(_)) => inner,
            _ => body,
        });
        let text = |names: &[&str]| {
            let find = |name: &&str| members?.get(name)?.as_str().map(str::to_owned);
            names.iter().find_map(find)
        };
        let message = text(&["message", "detail", "title"]).unwrap_or_else(|| no_message(status));
        let mut error = Error::new(ErrorKind::Answer, message).responded(status, &headers);
        error.code = text(&["code", "error_code"]);
        error.inner.record = record.unwrap_or_default();
        error.inner.request_id = error
            .inner
            .request_id
            .or_else(|| text(&["request_id"]).filter(|id| is_request_id(id)));
        error.inner.body = body;
        error
    }
}

/// The error body, if it is a JSON object and not too long.
async fn read(mut response: reqwest::Response) -> Option<Value> {
    let mut text = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        text.extend_from_slice(&chunk);
        if text.len() > MOST_READ {
            return None;
        }
    }
    serde_json::from_slice(&text).ok().filter(Value::is_object)
}

/// The message for a response without an error body.
fn no_message(status: StatusCode) -> String {
    let hint = match status.as_u16() {
        300..=399 => {
            "it is a redirect, and the service never sends one; check the base URL, and whether it needs `https`"
        }
        502..=504 => "a proxy seems to respond in place of the service; try again later",
        200..=299 => "it is a success that the document does not list; a newer client may know it",
        _ => "it has no error body; check that the base URL is that of the service",
    };
    let reason = status
        .canonical_reason()
        .map(|reason| format!(" {reason}"))
        .unwrap_or_default();
    format!("the response is {}{reason}: {hint}", status.as_u16())
}
