//! A response: its body, its status, its headers, and the number of retries.

use crate::{
    Error, ErrorCode,
    error::{self, Failure},
    link,
    retry::Record,
};
use http::{HeaderMap, StatusCode};
use progenitor_client::ByteStream;
use serde::de::DeserializeOwned;
use std::{fmt, marker::PhantomData, ops::Deref};

/// A response of the service. It dereferences to its body: `response.title` is the title of the book that the
/// response holds.
///
/// `C` is the type of the error codes; a generated client has an alias `Response` that sets it.
///
/// ```
/// # struct Book { title: String }
/// # use openapi_dropshot_client::Response;
/// fn title(response: Response<Book>) -> String {
///     println!("{} came with request {:?}", response.title, response.request_id());
///     println!("{} after {} retries", response.status(), response.retries());
///     response.into_inner().title
/// }
/// ```
pub struct Response<T, C = String> {
    body: T,
    status: StatusCode,
    headers: HeaderMap,
    record: Record,
    codes: PhantomData<fn() -> C>,
}

impl<T, C> Response<T, C> {
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

    /// The id that the service gave the request.
    pub fn request_id(&self) -> Option<&str> {
        error::request_id(&self.headers)
    }

    /// How often the request was sent again before this response came.
    pub fn retries(&self) -> u32 {
        self.record.retries
    }

    /// The `cursor` of the request for the next page; `None` on the last page. Set the same filters in that request,
    /// because the cursor belongs to them. [`Pages`](crate::Pages) and [`Items`](crate::Items) do so by themselves.
    ///
    /// # Errors
    ///
    /// A `Link` header with `rel="next"` (RFC 8288) is there and has no cursor. That is not the end of the list, so
    /// it is not `None`.
    pub fn next_cursor(&self) -> Result<Option<String>, Error<C>>
    where
        C: ErrorCode,
    {
        let Some(target) = link::next(&self.headers) else {
            return Ok(None);
        };
        match link::query_value(&target, "cursor") {
            Some(cursor) => Ok(Some(cursor)),
            None => Err(self
                .unreadable("the link to the next page has no cursor")
                .typed()),
        }
    }

    /// The error of a response that does not match the document.
    pub(crate) fn unreadable(&self, reason: impl fmt::Display) -> Failure {
        Failure::unreadable(self.status, &self.headers, reason).of_call(&self.record)
    }

    fn map<U>(self, body: U) -> Response<U, C> {
        Response {
            body,
            status: self.status,
            headers: self.headers,
            record: self.record,
            codes: PhantomData,
        }
    }
}

impl<T: DeserializeOwned, C> Response<T, C> {
    /// Reads a JSON body.
    pub(crate) async fn json(response: reqwest::Response) -> Result<Self, Failure> {
        let empty = Response::<(), C>::empty(&response);
        let (status, headers) = (empty.status, &empty.headers);
        let text = response
            .bytes()
            .await
            .map_err(|error| Failure::broken_off(status, headers, error).of_call(&empty.record))?;
        match serde_json::from_slice(&text) {
            Ok(body) => Ok(empty.map(body)),
            Err(error) => Err(empty.unreadable(reason(&error))),
        }
    }
}

/// Why JSON could not be read, without a part of it: serde's own messages repeat values.
fn reason(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let text = error.to_string();
    let (line, column) = (error.line(), error.column());
    match error.classify() {
        // The names of members are those of the document.
        Category::Data if text.starts_with("missing field") => text,
        Category::Data => format!("a value of another type at line {line}, column {column}"),
        Category::Eof => "it ends too early".to_owned(),
        Category::Syntax | Category::Io => format!("no JSON at line {line}, column {column}"),
    }
}

impl<C> Response<(), C> {
    /// A response without a body.
    pub(crate) fn empty(response: &reqwest::Response) -> Self {
        let record = response.extensions().get::<Record>();
        Response {
            body: (),
            status: response.status(),
            headers: response.headers().clone(),
            record: record.cloned().unwrap_or_default(),
            codes: PhantomData,
        }
    }
}

impl<C> Response<ByteStream, C> {
    /// A response whose body is read as it arrives.
    pub(crate) fn stream(response: reqwest::Response) -> Self {
        let empty = Response::<(), C>::empty(&response);
        empty.map(ByteStream::new(Box::pin(response.bytes_stream())))
    }
}

impl<T, C> Deref for Response<T, C> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.body
    }
}

impl<T, C> AsRef<T> for Response<T, C> {
    fn as_ref(&self) -> &T {
        &self.body
    }
}

/// Without the headers, which do not belong into every log.
impl<T: fmt::Debug, C> fmt::Debug for Response<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}
