//! An answer: its body, and what came with it.

use crate::{Error, error, link};
use http::{HeaderMap, StatusCode};
use progenitor_client::ByteStream;
use serde::de::DeserializeOwned;
use std::{fmt, ops::Deref};

/// An answer of the service. It stands for its body: `response.name` is the
/// name of the pet that was answered.
pub struct Response<T> {
    body: T,
    status: StatusCode,
    headers: HeaderMap,
}

impl<T> Response<T> {
    /// The body alone.
    pub fn into_inner(self) -> T {
        self.body
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The id under which the service knows the request.
    pub fn request_id(&self) -> Option<&str> {
        error::request_id(&self.headers)
    }

    /// Where the next page begins, for the `cursor` of the next request; `None`
    /// on the last page. Keep the filter of this request: the cursor belongs to
    /// it.
    ///
    /// # Errors
    ///
    /// There is a `Link` with `rel="next"` (RFC 8288) that leads nowhere. It is
    /// not the end of the list, so it is not `None`.
    pub fn next_cursor(&self) -> Result<Option<String>, Error> {
        let Some(target) = link::next(&self.headers) else {
            return Ok(None);
        };
        match link::query_value(&target, "cursor") {
            Some(cursor) => Ok(Some(cursor)),
            None => Err(Error::unreadable(
                self.status,
                &self.headers,
                "the link to the next page has no cursor",
            )),
        }
    }

    fn with_body(body: T, response: &reqwest::Response) -> Self {
        Response {
            body,
            status: response.status(),
            headers: response.headers().clone(),
        }
    }
}

impl<T: DeserializeOwned> Response<T> {
    /// Reads a body of JSON.
    pub(crate) async fn json(response: reqwest::Response) -> Result<Self, Error> {
        let Response {
            status, headers, ..
        } = Response::with_body((), &response);
        let text = response
            .bytes()
            .await
            .map_err(|error| Error::broken_off(status, &headers, error))?;
        match serde_json::from_slice(&text) {
            Ok(body) => Ok(Response {
                body,
                status,
                headers,
            }),
            Err(error) => Err(Error::unreadable(status, &headers, reason(&error))),
        }
    }
}

/// Why JSON could not be read, without a piece of it: serde's own words repeat
/// values.
fn reason(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let text = error.to_string();
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        // Names of members are those of the document.
        Category::Data if text.starts_with("missing field") => text,
        Category::Data => format!("a value of another type at line {line}, column {column}"),
        Category::Eof => "it ends too early".to_owned(),
        Category::Syntax | Category::Io => format!("no JSON at line {line}, column {column}"),
    }
}

#[allow(dead_code, reason = "not every document has an answer without a body")]
impl Response<()> {
    /// An answer without a body.
    pub(crate) fn empty(response: reqwest::Response) -> Self {
        Response::with_body((), &response)
    }
}

#[allow(dead_code, reason = "not every document has an answer that is no JSON")]
impl Response<ByteStream> {
    /// An answer whose body is read as it arrives.
    pub(crate) fn stream(response: reqwest::Response) -> Self {
        let Response {
            status, headers, ..
        } = Response::with_body((), &response);
        Response {
            body: ByteStream::new(Box::pin(response.bytes_stream())),
            status,
            headers,
        }
    }
}

impl<T> Deref for Response<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.body
    }
}

impl<T> AsRef<T> for Response<T> {
    fn as_ref(&self) -> &T {
        &self.body
    }
}

/// Without the headers, which are not for every log.
impl<T: fmt::Debug> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}
