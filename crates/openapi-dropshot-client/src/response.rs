//! A response: its body, its status, its headers, and the number of retries.

use crate::{
    Error, ErrorCode,
    error::{self, Failure},
    generated::by_status::ByStatus,
    json::json_body,
    link,
    transport::Head,
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{fmt, marker::PhantomData, ops::Deref};

/// A response of the service. It dereferences to its body: `response.title` is the title of the book in the response.
///
/// `C` is the type of the error codes. A generated client has an alias `Response` that sets it.
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
    head: Box<Head>,
    /// The body as it was received, if it was read to its end.
    bytes: Bytes,
    codes: PhantomData<fn() -> C>,
}

impl<T, C> Response<T, C> {
    /// Returns only the body.
    pub fn into_inner(self) -> T {
        self.body
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.head.status
    }

    /// Returns the HTTP status. This is the same as [`status`](Response::status), with the name that errors and
    /// interceptors use.
    pub fn status_code(&self) -> StatusCode {
        self.head.status
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// Returns the id that the service gave to the request.
    pub fn request_id(&self) -> Option<&str> {
        error::request_id(&self.head.headers)
    }

    /// Returns the fingerprint of the credential of the request; see
    /// [`Error::credential_fingerprint`](Error::credential_fingerprint).
    pub fn credential_fingerprint(&self) -> Option<String> {
        self.head.record.credential_fingerprint()
    }

    /// Returns how often the request was sent again before this response arrived.
    pub fn retries(&self) -> u32 {
        self.head.record.retries
    }

    /// Returns the `cursor` of the request for the next page; `None` on the last page. Set the same filters in that
    /// request, because the cursor belongs to them. [`Pages`](crate::Pages) and [`Items`](crate::Items) do this
    /// automatically.
    ///
    /// # Errors
    ///
    /// Returns an error if the response has a `Link` header with `rel="next"` (RFC 8288) but without a cursor. This is not
    /// the end of the list, so the result cannot be `None`.
    pub fn next_cursor(&self) -> Result<Option<String>, Error<C>>
    where
        C: ErrorCode,
    {
        let Some(target) = link::next(&self.head.headers) else {
            return Ok(None);
        };
        let cursor = link::cursor(&target);
        let problem = || self.unreadable("the link to the next page has no cursor");
        cursor.map(Some).ok_or_else(|| problem().typed())
    }

    /// Returns the body as it was received. It is kept until the response is dropped or converted by
    /// [`into_inner`](Response::into_inner). It is empty if the body is read as it arrives, or if the operation has no
    /// body.
    ///
    /// ```
    /// # use openapi_dropshot_client::Response;
    /// fn archive(response: &Response<Vec<i64>>) -> std::io::Result<()> {
    ///     std::fs::write("response.json", response.raw_body())
    /// }
    /// ```
    pub fn raw_body(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the properties of the body that its type does not know, because the service is newer than this client: each
    /// with its place as a JSON pointer (RFC 6901). Properties with the value `null` are omitted.
    ///
    /// This parses the body once more, only when you call it.
    ///
    /// ```
    /// # #[derive(serde::Serialize)] struct Book { title: String }
    /// # use openapi_dropshot_client::Response;
    /// fn report(book: &Response<Book>) {
    ///     for (place, value) in book.unknown_members() {
    ///         println!("{place}: {value}"); // /author: "Jane Austen"
    ///     }
    /// }
    /// ```
    pub fn unknown_members(&self) -> Vec<(String, Value)>
    where
        T: Serialize,
    {
        let mut unknown = Vec::new();
        let received = json_body(&self.bytes);
        if let (Ok(received), Ok(known)) = (received, serde_json::to_value(&self.body)) {
            compare(&received, &known, "", &mut unknown);
        }
        unknown
    }

    /// Returns the error for a response that does not match the document.
    pub(crate) fn unreadable(&self, reason: impl fmt::Display) -> Failure {
        Failure::unreadable(&self.head, reason)
    }

    pub(crate) fn new(body: T, head: Box<Head>, bytes: Bytes) -> Self {
        Response {
            body,
            head,
            bytes,
            codes: PhantomData,
        }
    }

    /// Reads a JSON body.
    pub(crate) fn json(received: (Box<Head>, Bytes)) -> Result<Self, Failure>
    where
        T: DeserializeOwned,
    {
        let body = json_body(&received.1);
        Response::read(received, body)
    }

    /// Reads a body whose type depends on the status.
    pub(crate) fn by_status(received: (Box<Head>, Bytes)) -> Result<Self, Failure>
    where
        T: ByStatus,
    {
        let body = T::read(received.0.status.as_u16(), &received.1);
        Response::read(received, body)
    }

    fn read(
        (head, bytes): (Box<Head>, Bytes),
        body: serde_json::Result<T>,
    ) -> Result<Self, Failure> {
        match body {
            Ok(body) => Ok(Response::new(body, head, bytes)),
            Err(error) => Err(Failure::unreadable(&head, reason(&error))),
        }
    }
}

/// Collects the properties of the first value that the second value lacks.
fn compare(received: &Value, known: &Value, place: &str, unknown: &mut Vec<(String, Value)>) {
    match (received, known) {
        (Value::Object(received), Value::Object(known)) => {
            for (name, value) in received.iter().filter(|(_, value)| !value.is_null()) {
                let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
                match known.get(name) {
                    Some(known) => compare(value, known, &place, unknown),
                    None => unknown.push((place, value.clone())),
                }
            }
        }
        (Value::Array(received), Value::Array(known)) => {
            for (index, (value, known)) in received.iter().zip(known).enumerate() {
                compare(value, known, &format!("{place}/{index}"), unknown);
            }
        }
        _ => {}
    }
}

/// Describes why JSON could not be parsed, without repeating a part of it.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    match error.classify() {
        // `json_body` has already described the problem.
        Category::Data => error.to_string(),
        Category::Eof => "the JSON ends too early".to_owned(),
        Category::Syntax | Category::Io => {
            let (line, column) = (error.line(), error.column());
            format!("invalid JSON at line {line}, column {column}")
        }
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

/// Returns the items of a list, so that a `for` loop can iterate over the response.
impl<T: IntoIterator, C> IntoIterator for Response<T, C> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;

    fn into_iter(self) -> T::IntoIter {
        self.body.into_iter()
    }
}

impl<'a, T, C> IntoIterator for &'a Response<T, C>
where
    &'a T: IntoIterator,
{
    type Item = <&'a T as IntoIterator>::Item;
    type IntoIter = <&'a T as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.body.into_iter()
    }
}

// The headers are not shown, because they do not belong in every log.
debug_fields!([T: fmt::Debug, C] Response<T, C>, status(head.status), body(body));
