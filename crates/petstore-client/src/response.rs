//! An answer: its body, and what came with it.

use crate::{Error, error, link, retry::Record};
use http::{HeaderMap, StatusCode};
use progenitor_client::ByteStream;
use serde::de::DeserializeOwned;
use std::{fmt, ops::Deref};

/// An answer of the service. It stands for its body: `response.name` is the
/// name of the pet that was answered.
///
/// ```no_run
/// use petstore_client::{Client, NewPet};
///
/// # async fn example(client: &Client) -> Result<(), petstore_client::Error> {
/// let tom = NewPet::builder().name("Tom").category_id(3);
/// let answer = client.create_pet().body(tom).send().await?;
/// println!("{} has the id {}, says request {:?}", answer.name, answer.id, answer.request_id());
/// # Ok(())
/// # }
/// ```
pub struct Response<T> {
    body: T,
    status: StatusCode,
    headers: HeaderMap,
    record: Record,
}

impl<T> Response<T> {
    /// The body alone.
    ///
    /// ```
    /// # fn example(answer: petstore_client::Response<petstore_client::Pet>) {
    /// let pet: petstore_client::Pet = answer.into_inner();
    /// println!("{}", pet.name);
    /// # }
    /// ```
    pub fn into_inner(self) -> T {
        self.body
    }

    /// The HTTP status.
    ///
    /// ```
    /// # fn example(answer: petstore_client::Response<petstore_client::Pet>) {
    /// assert!(answer.status().is_success());
    /// # }
    /// ```
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// The headers.
    ///
    /// ```
    /// # fn example(answer: petstore_client::Response<petstore_client::Pet>) {
    /// println!("{:?}", answer.headers().get("sunset"));
    /// # }
    /// ```
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The id under which the service knows the request.
    ///
    /// ```
    /// # fn example(answer: petstore_client::Response<petstore_client::Pet>) {
    /// println!("look for {:?} in the log of the service", answer.request_id());
    /// # }
    /// ```
    pub fn request_id(&self) -> Option<&str> {
        error::request_id(&self.headers)
    }

    /// How often the request was sent again before it was answered so.
    ///
    /// ```
    /// # fn example(answer: petstore_client::Response<petstore_client::Pet>) {
    /// if answer.retries() > 0 {
    ///     println!("the service has trouble");
    /// }
    /// # }
    /// ```
    pub fn retries(&self) -> u32 {
        self.record.retries
    }

    /// Where the next page begins, for the `cursor` of the next request; `None`
    /// on the last page. Keep the filter of this request: the cursor belongs to
    /// it. [`Pages`](crate::Pages) and [`Items`](crate::Items) do that by
    /// themselves.
    ///
    /// ```no_run
    /// use petstore_client::{Client, PetStatus};
    ///
    /// # async fn example(client: &Client) -> Result<(), petstore_client::Error> {
    /// let sold = || client.list_pets().status(PetStatus::Sold);
    /// let first = sold().send().await?;
    /// if let Some(cursor) = first.next_cursor()? {
    ///     let second = sold().cursor(cursor).send().await?;
    ///     println!("{} and {} pets", first.len(), second.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
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
            None => Err(self.unreadable("the link to the next page has no cursor")),
        }
    }

    /// The error of an answer that is not what the document says.
    pub(crate) fn unreadable(&self, reason: impl fmt::Display) -> Error {
        Error::unreadable(self.status, &self.headers, reason).of_call(&self.record)
    }

    fn with_body(body: T, response: &reqwest::Response) -> Self {
        Response {
            body,
            status: response.status(),
            headers: response.headers().clone(),
            record: response
                .extensions()
                .get::<Record>()
                .cloned()
                .unwrap_or_default(),
        }
    }

    fn map<U>(self, body: U) -> Response<U> {
        Response {
            body,
            status: self.status,
            headers: self.headers,
            record: self.record,
        }
    }
}

impl<T: DeserializeOwned> Response<T> {
    /// Reads a body of JSON.
    pub(crate) async fn json(response: reqwest::Response) -> Result<Self, Error> {
        let answer = Response::with_body((), &response);
        let (status, headers) = (answer.status, &answer.headers);
        let text = response
            .bytes()
            .await
            .map_err(|error| Error::broken_off(status, headers, error).of_call(&answer.record))?;
        match serde_json::from_slice(&text) {
            Ok(body) => Ok(answer.map(body)),
            Err(error) => Err(answer.unreadable(reason(&error))),
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
        let answer = Response::with_body((), &response);
        answer.map(ByteStream::new(Box::pin(response.bytes_stream())))
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
