//! The functions and types that generated code uses. Applications do not need them.
//!
//! A generated client describes each operation with a constant [`Operation`], and has a [`Call`] in the builder of each request. The
//! setters of the builder pass their values to the call by the name of the parameter. `send`, `pages` and `stream` turn the call into a
//! [`Request`]. The enumerations of the document implement [`OpenEnum`].

mod body;
pub(crate) mod by_status;
mod event_data;
pub(crate) mod listed_code;
mod members;
mod open_enum;
mod optional;
mod path;
mod types;

pub use crate::json::json_body;
#[doc(hidden)]
pub use crate::{
    __builder as builder, __holders as holders, __open_enums as open_enums, __settings as settings,
    __texts as texts, __union as union,
};
pub use body::{Body, IntoBody};
pub use by_status::{ByStatus, text_body, unlisted};
pub use event_data::{json_data, text_data};
pub use http::Method;
pub use listed_code::ListedCode;
pub use members::{by_tag, closest, json_value, present, unknown_tag, with_tag};
pub use open_enum::OpenEnum;
pub use optional::{IntoOptional, optional_member};
pub use serde::{Deserialize, Deserializer};
pub use serde_json::Result as JsonResult;
pub use types::{IntoMember, Member, missing};

#[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
pub use crate::blocking::wait;
pub use crate::multipart::part;
pub use crate::operation::{Operation, Parameter, Place, Waiter, method};
#[doc(hidden)]
pub use crate::service::day;
pub use crate::service::{Credential, Scheme, Service};

use crate::{
    CallOptions, Client, Error, ErrorCode, Feed, Items, Multipart, Pages, Response, Waiting,
    error::Failure,
    prepared::Prepared,
    stream::{EventStream, Lines, Streamed},
    transport::{Head, Received},
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_TYPE, COOKIE},
};
use progenitor_client::{ByteStream, QueryParam, encode_path};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{borrow::Cow, fmt::Display, marker::PhantomData};

/// A request while its parameters are set.
///
/// ```
/// use openapi_dropshot_client::{Client, Error, Response};
/// use openapi_dropshot_client::generated::{Call, Method, Operation, Parameter, Place, convert};
///
/// static GET_BOOK: Operation = Operation {
///     id: "getBook",
///     method: Method::GET,
///     path: "/books/{bookId}",
///     parameters: &[Parameter::new(Place::Path, "bookId", "book_id", true)],
///     success: &[200],
/// };
///
/// async fn title(client: &Client, id: i64) -> Result<Response<String>, Error> {
///     let mut call = Call::new(client, &GET_BOOK);
///     call.set_text("bookId", convert::<i64, _>(id));
///     call.request().json().await
/// }
/// ```
#[derive(Clone)]
pub struct Call<'a> {
    client: Client,
    /// A call borrows nothing, so it can be spawned. The lifetime parameter exists because applications name the type of a request with
    /// it.
    lifetime: PhantomData<&'a ()>,
    operation: &'static Operation,
    /// The settings of the call, if it has any. They are boxed, because the request is moved with each parameter.
    options: Option<Box<CallOptions>>,
    /// For each parameter of the operation: its value as it is sent, or why it cannot be sent.
    values: Vec<Result<Option<String>, String>>,
}

impl<'a> Call<'a> {
    /// Creates a call of an operation without any parameter set.
    pub fn new(client: &Client, operation: &'static Operation) -> Self {
        Call {
            client: client.clone(),
            lifetime: PhantomData,
            operation,
            options: None,
            values: operation.parameters.iter().map(|_| Ok(None)).collect(),
        }
    }

    /// Replaces the settings of the client for this call.
    pub fn set_options(&mut self, options: CallOptions) {
        self.options = Some(Box::new(options));
    }

    /// Changes the settings of the call.
    pub fn change_options(&mut self, change: impl FnOnce(CallOptions) -> CallOptions) {
        let options = self.options.take().map(|options| *options);
        self.set_options(change(options.unwrap_or_default()));
    }

    /// Sets a path parameter or a header, or stores why its value was rejected.
    pub fn set_text<T: Serialize>(&mut self, name: &'static str, value: Result<T, String>) {
        self.set(name, value, |value| {
            let text = serde_json::to_value(value).ok().and_then(plain_text);
            text.ok_or_else(|| "is not a text, a number or a boolean".to_owned())
        });
    }

    /// Sets a query parameter, or stores why its value was rejected.
    pub fn set_query<T: Serialize>(&mut self, name: &'static str, value: Result<T, String>) {
        self.set(name, value, |value| {
            serde_urlencoded::to_string(QueryParam::new(name, &value))
                .map_err(|error| format!("cannot be sent in a query: {error}"))
        });
    }

    /// Sets a parameter whose text is JSON, or stores why its value was rejected.
    pub fn set_json<T: Serialize>(&mut self, name: &'static str, value: Result<T, String>) {
        let in_query = self.is_in_query(name);
        self.set(name, value, |value| {
            let json = serde_json::to_string(&value);
            let json = json.map_err(|error| format!("cannot be written as JSON: {error}"))?;
            match in_query {
                true => {
                    serde_urlencoded::to_string([(name, json)]).map_err(|error| error.to_string())
                }
                false => Ok(json),
            }
        });
    }

    /// Sets a list parameter to its items, separated by commas, or stores why its value was rejected.
    pub fn set_joined<T: Serialize>(&mut self, name: &'static str, value: Result<T, String>) {
        self.set_separated(name, ',', value);
    }

    /// Sets a list parameter to its items, separated by this character, or stores why its value was rejected.
    pub fn set_separated<T: Serialize>(
        &mut self,
        name: &'static str,
        separator: char,
        value: Result<T, String>,
    ) {
        let in_query = self.is_in_query(name);
        self.set(name, value, |value| {
            joined(name, &value, in_query, separator)
        });
    }

    fn is_in_query(&self, name: &str) -> bool {
        let mut parameters = self.operation.parameters.iter();
        let parameter = parameters.find(|parameter| parameter.name == name);
        parameter.is_some_and(|parameter| parameter.place == Place::Query)
    }

    fn set<T>(
        &mut self,
        name: &str,
        value: Result<T, String>,
        text: impl FnOnce(T) -> Result<String, String>,
    ) {
        let mut parameters = self.operation.parameters.iter();
        let index = parameters.position(|parameter| parameter.name == name);
        if let Some(slot) = index.and_then(|index| self.values.get_mut(index)) {
            *slot = value
                .and_then(text)
                .map(Some)
                .map_err(|reason| format!("`{name}` {reason}"));
        }
    }

    /// Returns the request, without a body.
    pub fn request(self) -> Request {
        self.finish(Ok(None))
    }

    /// Returns the request with a JSON body.
    pub fn request_with_json<T, B>(self, body: Body<B>) -> Request
    where
        T: Serialize + TryFrom<B>,
        T::Error: Display,
    {
        self.request_with_json_as::<T, B>("application/json", body)
    }

    /// Returns the request with a JSON body that has its own media type, such as `application/merge-patch+json`.
    pub fn request_with_json_as<T, B>(self, media_type: &'static str, body: Body<B>) -> Request
    where
        T: Serialize + TryFrom<B>,
        T::Error: Display,
    {
        self.request_with(media_type, body, |body: T| {
            serde_json::to_vec(&body)
                .map_err(|error| format!("the body cannot be written as JSON: {error}"))
        })
    }

    /// Returns the request with a form as its body.
    pub fn request_with_form<T, B>(self, body: Body<B>) -> Request
    where
        T: Serialize + TryFrom<B>,
        T::Error: Display,
    {
        self.request_with("application/x-www-form-urlencoded", body, |body: T| {
            form_of(&body).map_err(|error| format!("the body cannot be written as a form: {error}"))
        })
    }

    /// Returns the request with a multipart form as its body.
    pub fn request_with_parts(self, body: Body<Multipart>) -> Request {
        let form = body.finish::<Multipart>();
        let form = form.and_then(|form| form.map(Multipart::into_parts).transpose());
        self.finish(form.map(|form| form.map(|(media_type, body)| (media_type.into(), body))))
    }

    /// Returns the request with JSON lines of this media type as its body.
    pub fn request_with_lines<T: Serialize + 'static>(
        self,
        media_type: &'static str,
        body: Body<Lines<T>>,
    ) -> Request {
        self.request_with(media_type, body, Lines::into_body)
    }

    /// Returns the request with text or bytes as its body.
    pub fn request_with_raw<B>(self, media_type: &'static str, body: Body<B>) -> Request
    where
        B: Into<reqwest::Body>,
    {
        self.request_with(media_type, body, Ok::<B, _>)
    }

    /// Returns the request with a body that this function writes.
    fn request_with<T, B, W>(
        self,
        media_type: &'static str,
        body: Body<B>,
        write: impl FnOnce(T) -> Result<W, String>,
    ) -> Request
    where
        T: TryFrom<B>,
        T::Error: Display,
        W: Into<reqwest::Body>,
    {
        let body = body.finish().and_then(|body| body.map(write).transpose());
        self.finish(body.map(|body| Some((media_type.into(), body?.into()))))
    }

    /// Builds the request, with a body and its media type if there is one. Reports the first parameter that is missing or was rejected;
    /// if there is none, reports a problem with the body.
    fn finish(self, body: Result<Option<(Cow<'static, str>, reqwest::Body)>, String>) -> Request {
        let request = || {
            let (relative, headers) = self.parts().map_err(Failure::invalid_request)?;
            // The host was checked when the client was built.
            let url = self.client.shared.base.join(&relative);
            let url = url.map_err(Failure::not_built)?;
            let mut request = reqwest::Request::new(self.operation.method.clone(), url);
            *request.headers_mut() = headers;
            if let Some((media_type, body)) = body.map_err(Failure::invalid_request)? {
                let media_type = HeaderValue::from_str(&media_type).map_err(|_| {
                    Failure::invalid_request(format!("`{media_type}` is not a media type"))
                })?;
                request.headers_mut().insert(CONTENT_TYPE, media_type);
                *request.body_mut() = Some(body);
            }
            let options = self.options.map(|options| *options);
            Prepared::new(self.client, self.operation, request, options)
        };
        Request(request())
    }

    /// Returns the path with the query, relative to the base URL, and the headers that the parameters set.
    fn parts(&self) -> Result<(String, HeaderMap), String> {
        // The dot prevents a colon in the first segment from being parsed as the end of a scheme.
        let mut path = String::with_capacity(128);
        path.push('.');
        path.push_str(self.operation.path);
        let (mut headers, mut cookies, mut query) = (HeaderMap::new(), Vec::new(), Vec::new());
        for (parameter, value) in self.operation.parameters.iter().zip(&self.values) {
            let Parameter { name, setter, .. } = parameter;
            let Some(value) = value.as_ref().map_err(String::clone)? else {
                if parameter.required {
                    return Err(format!("`{name}` is required: set it with `{setter}`"));
                }
                continue;
            };
            match parameter.place {
                Place::Path => path = path::insert(&path, name, value)?,
                Place::Query if value.is_empty() => {}
                Place::Query => query.push(value.as_str()),
                Place::Header => {
                    let value = HeaderValue::from_str(value)
                        .map_err(|_| format!("`{name}` cannot be sent in a header"))?;
                    let name = http::HeaderName::from_bytes(name.as_bytes())
                        .map_err(|_| format!("`{name}` is not the name of a header"))?;
                    headers.append(name, value);
                }
                Place::Cookie => {
                    // Characters that a cookie must not contain (RFC 6265, section 4.1.1), except the commas of a list.
                    let value = encode_path(value).replace(';', "%3B").replace('\\', "%5C");
                    cookies.push(format!("{name}={value}"));
                }
            }
        }
        if !cookies.is_empty() {
            let cookies = HeaderValue::try_from(cookies.join("; "));
            headers.insert(COOKIE, cookies.map_err(|error| error.to_string())?);
        }
        path::check(self.operation, &path)?;
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        Ok((path, headers))
    }
}

debug_fields!(
    Call<'_>,
    operation(operation.id),
    options(options),
    values(values)
);

/// Returns the text of a string, a number or a boolean.
fn plain_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Writes a list as its items with a separator between them. In a query, the name of the parameter precedes them. An item may contain a
/// comma if the comma of the item is encoded and the comma between items is not.
fn joined<T: Serialize>(
    name: &str,
    value: &T,
    in_query: bool,
    separator: char,
) -> Result<String, String> {
    let Ok(Value::Array(items)) = serde_json::to_value(value) else {
        return Err("is not a list".to_owned());
    };
    let mut texts = Vec::new();
    for item in items {
        let text =
            plain_text(item).ok_or("has an item that is not a text, a number or a boolean")?;
        let is_encoded = in_query && separator == ',';
        if !is_encoded && text.contains(separator) {
            let sign = match separator {
                ' ' => "space",
                '|' => "vertical bar",
                _ => "comma",
            };
            return Err(format!("has the item `{text}`, whose {sign} would end it"));
        }
        texts.push(text);
    }
    if !in_query || texts.is_empty() {
        return Ok(texts.join(","));
    }
    let mut query = String::new();
    for text in texts {
        let pair = serde_urlencoded::to_string([(name, text)]);
        let pair = pair.map_err(|error| format!("cannot be sent in a query: {error}"))?;
        if query.is_empty() {
            query = pair;
        } else {
            query.push_str(match separator {
                ' ' => "%20",
                '|' => "%7C",
                _ => ",",
            });
            query.push_str(pair.split_once('=').map_or("", |(_, text)| text));
        }
    }
    Ok(query)
}

/// Writes a form: one field for each property and for each item of a list. A property that is an object is written as JSON.
fn form_of(body: &impl Serialize) -> Result<String, String> {
    let body = serde_json::to_value(body).map_err(|error| error.to_string())?;
    let members = body.as_object().ok_or("it is not an object")?;
    let mut fields = Vec::new();
    for (name, value) in members {
        let list = value.as_array().map(Vec::as_slice);
        let values = list.unwrap_or(std::slice::from_ref(value));
        for value in values.iter().filter(|value| !value.is_null()) {
            let text = value.as_str().map(str::to_owned);
            fields.push((name, text.unwrap_or_else(|| value.to_string())));
        }
    }
    serde_urlencoded::to_string(fields).map_err(|error| error.to_string())
}

/// A request that is ready to be sent, or why it cannot be sent; see [`Call`] for an example.
#[must_use = "nothing is sent before the response is read"]
pub struct Request(pub(crate) Result<Box<Prepared>, Failure>);

impl Request {
    /// Sends the request and reads a JSON body.
    ///
    /// # Errors
    ///
    /// Those of every call; see [`Error`].
    pub async fn json<T: DeserializeOwned, C: ErrorCode>(self) -> Result<Response<T, C>, Error<C>> {
        let received = self.accepting_json().read().await;
        received.and_then(Response::json).map_err(Failure::typed)
    }

    /// Sends the request and reads the body, whose type depends on the status.
    ///
    /// # Errors
    ///
    /// Those of every call; see [`Error`].
    pub async fn by_status<T: ByStatus, C: ErrorCode>(self) -> Result<Response<T, C>, Error<C>> {
        let received = self.accepting_json().read().await;
        received
            .and_then(Response::by_status)
            .map_err(Failure::typed)
    }

    /// Sends the request. The response has no body.
    ///
    /// # Errors
    ///
    /// Those of every call; see [`Error`].
    pub async fn empty<C: ErrorCode>(self) -> Result<Response<(), C>, Error<C>> {
        let received = self.received().await.map_err(Failure::typed)?;
        let bytes = received.read_bytes().cloned().unwrap_or_default();
        Ok(Response::new((), received.head, bytes))
    }

    /// Sends the request. The body of the response is read as it arrives.
    ///
    /// # Errors
    ///
    /// Those of every call; see [`Error`].
    pub async fn bytes<C: ErrorCode>(self) -> Result<Response<ByteStream, C>, Error<C>> {
        let streamed = self.changed(|prepared| prepared.is_streamed = true);
        let received = streamed.received().await.map_err(Failure::typed)?;
        let (head, body) = received.into_stream();
        Ok(Response::new(body, head, Bytes::new()))
    }

    /// Sends the request. The response is a JSON stream of this media type: `application/jsonl`, `application/x-ndjson`,
    /// `application/json-seq` or a type that ends in `+json-seq`. Its items are read as they arrive; see [`Streamed`].
    ///
    /// ```
    /// # use openapi_dropshot_client::{Error, Response, generated::Request, stream::Streamed};
    /// # async fn example(request: Request) -> Result<(), Error> {
    /// let titles: Response<Streamed<String>> = request.streamed("application/jsonl").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of every call, and if the response has another media type; see [`Error`].
    pub async fn streamed<T: DeserializeOwned, C: ErrorCode>(
        self,
        media_type: &'static str,
    ) -> Result<Response<Streamed<T, C>, C>, Error<C>> {
        (Streamed::send(self.0, media_type).await).map_err(Failure::typed)
    }

    /// Sends the request. The response is a stream of server-sent events (`text/event-stream`), which reconnects when its connection
    /// ends; see [`EventStream`]. The function parses the data of an event from the type of the event and its text. Use [`json_data`],
    /// or [`text_data`] if the document says that the data is text, or a function that distinguishes types of events.
    ///
    /// ```
    /// # use openapi_dropshot_client::{Error, Response, stream::EventStream};
    /// # use openapi_dropshot_client::generated::{Request, json_data};
    /// # async fn example(request: Request) -> Result<(), Error> {
    /// let loans: Response<EventStream<Vec<i64>>> = request.events(json_data).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of every call, and if the response has another media type; see [`Error`].
    pub async fn events<T, C: ErrorCode>(
        self,
        read: fn(event: &str, data: &str) -> JsonResult<T>,
    ) -> Result<Response<EventStream<T, C>, C>, Error<C>> {
        (EventStream::send(self.0, read).await).map_err(Failure::typed)
    }

    /// Follows the links from page to page, starting with the page of this request.
    pub fn pages<T, C>(self) -> Pages<T, C>
    where
        T: DeserializeOwned + Send + 'static,
        C: ErrorCode,
    {
        Pages::new(self.accepting_json().0)
    }

    /// Waits until the resource that the operation returns is in a certain state; see [`Waiting`].
    pub fn wait<T, C>(self, waiter: &'static Waiter) -> Waiting<T, C> {
        Waiting::new(self.accepting_json().0, waiter)
    }

    /// Returns the items of this page and of all following pages.
    pub fn items<T, C>(self) -> Items<T, C>
    where
        T: DeserializeOwned + Send + 'static,
        C: ErrorCode,
    {
        Items::new(self.accepting_json().0)
    }

    /// Returns the items of this page and of all following pages, and then future items as they appear.
    pub fn feed<T, C>(self) -> Feed<T, C>
    where
        T: DeserializeOwned + Send + 'static,
        C: ErrorCode,
    {
        Feed::new(self.accepting_json().0)
    }

    fn accepting_json(self) -> Self {
        self.changed(|prepared| prepared.accepts_json = true)
    }

    fn changed(mut self, change: impl FnOnce(&mut Prepared)) -> Self {
        if let Ok(prepared) = &mut self.0 {
            change(prepared);
        }
        self
    }

    async fn received(self) -> Result<Received, Failure> {
        self.0?.send().await
    }

    async fn read(self) -> Result<(Box<Head>, Bytes), Failure> {
        self.0?.read().await
    }
}

debug_fields!(Request);

/// Converts the value that was passed to a setter to the type of the parameter.
///
/// # Errors
///
/// Returns an error if the type rejects the value.
///
/// ```
/// use openapi_dropshot_client::generated::convert;
///
/// assert_eq!(convert::<u8, _>(7_i64), Ok(7));
/// assert!(convert::<u8, _>(300_i64).is_err());
/// ```
pub fn convert<T, V>(value: V) -> Result<T, String>
where
    V: TryInto<T>,
    V::Error: Display,
{
    value
        .try_into()
        .map_err(|error| format!("is not valid: {error}"))
}

/// Converts the value that was passed to a setter, and checks its bounds, which `bounds` describes.
///
/// # Errors
///
/// Returns an error if the type rejects the value, or if the value is out of its bounds.
///
/// ```
/// use openapi_dropshot_client::generated::within;
///
/// let limit = |value: u64| within::<u64, _>(value, "from 1 to 100", |value| (1..=100).contains(value));
/// assert_eq!(limit(100), Ok(100));
/// assert_eq!(limit(101), Err("must be from 1 to 100, found 101".to_owned()));
/// ```
pub fn within<T, V>(value: V, bounds: &str, allowed: impl FnOnce(&T) -> bool) -> Result<T, String>
where
    T: Display,
    V: TryInto<T>,
    V::Error: Display,
{
    let value = value
        .try_into()
        .map_err(|error| format!("must be {bounds}: {error}"))?;
    match allowed(&value) {
        true => Ok(value),
        false => Err(format!("must be {bounds}, found {value}")),
    }
}
