//! Requests that the document of a client lacks.

use crate::{
    CallOptions, Client, Error, ErrorCode, Response, error::Failure, operation::Operation,
    prepared::Prepared,
};
use http::{HeaderName, HeaderValue, Method, header::CONTENT_TYPE};
use progenitor_client::ByteStream;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// A request that the document lacks, such as one of a newer service; [`Client::request`] starts it. It has the API key, the
/// retries, the time limits and the interceptors of the client. Of credentials that were given for security schemes it has none,
/// because the document does not say which it requires: set their headers. Interceptors and spans see it as the operation `request` with the path
/// `{path}`.
///
/// A `POST` or `PATCH` is repeated only if that is safe, as everywhere: give it a header `idempotency-key` if the service knows it.
///
/// ```
/// use openapi_dropshot_client::{Client, Error, RawRequest, reqwest::Method};
///
/// # async fn example(client: &Client) -> Result<(), Error> {
/// let request: RawRequest = client.request(Method::PUT, "/books/7/reviews?language=en");
/// let review = serde_json::json!({ "stars": 5 });
/// let response = request.json(&review).send::<serde_json::Value>().await?;
/// println!("{} {}", response.status(), response["id"]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before `send` is called"]
pub struct RawRequest<C = String> {
    prepared: Result<Box<Prepared>, Failure>,
    options: CallOptions,
    codes: std::marker::PhantomData<fn() -> C>,
}

const fn raw(method: Method) -> Operation {
    Operation {
        id: "request",
        method,
        path: "{path}",
        parameters: &[],
        success: &[],
    }
}

static OPERATIONS: [Operation; 7] = [
    raw(Method::GET),
    raw(Method::HEAD),
    raw(Method::POST),
    raw(Method::PUT),
    raw(Method::PATCH),
    raw(Method::DELETE),
    raw(Method::OPTIONS),
];

impl Client {
    /// A request that the document lacks, relative to the base URL, such as `/books/7/cover?size=2`; see [`RawRequest`].
    pub fn request<C>(&self, method: Method, path: &str) -> RawRequest<C> {
        RawRequest::new(self, method, path)
    }
}

impl<C> RawRequest<C> {
    fn new(client: &Client, method: Method, path: &str) -> Self {
        RawRequest {
            prepared: prepared(client, method, path).map_err(Failure::invalid_request),
            options: CallOptions::new(),
            codes: std::marker::PhantomData,
        }
    }

    /// Settings of this call, in place of those that it has so far.
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// A header of this request; see [`CallOptions::header`].
    pub fn header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        self.options = self.options.header(name, value);
        self
    }

    /// A JSON body.
    pub fn json(self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => self.body("application/json", body),
            Err(error) => RawRequest {
                prepared: Err(Failure::not_built(error)),
                ..self
            },
        }
    }

    /// A body of another media type.
    pub fn body(mut self, media_type: &'static str, body: impl Into<reqwest::Body>) -> Self {
        if let Ok(prepared) = &mut self.prepared {
            let headers = prepared.request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
            *prepared.request.body_mut() = Some(body.into());
        }
        self
    }
}

impl<C: ErrorCode> RawRequest<C> {
    /// Sends the request, and reads a JSON body. `T` may be `serde_json::Value`.
    ///
    /// # Errors
    ///
    /// Those of every call; see [`Error`].
    pub async fn send<T: DeserializeOwned>(self) -> Result<Response<T, C>, Error<C>> {
        let mut prepared = self.finish(true).map_err(Failure::typed)?;
        let received = prepared.send().await.map_err(Failure::typed)?;
        Response::json(received).await.map_err(Failure::typed)
    }

    /// Sends the request; the body of the response is read as it arrives.
    ///
    /// # Errors
    ///
    /// Those of every call; see [`Error`].
    pub async fn send_for_bytes(self) -> Result<Response<ByteStream, C>, Error<C>> {
        let mut prepared = self.finish(false).map_err(Failure::typed)?;
        let received = prepared.send().await.map_err(Failure::typed)?;
        Ok(Response::stream(received))
    }

    fn finish(mut self, is_json: bool) -> Result<Box<Prepared>, Failure> {
        let mut prepared = self.prepared?;
        let headers = self.options.take_headers();
        let headers = headers.map_err(Failure::invalid_request)?;
        prepared.request.headers_mut().extend(headers);
        let settings = prepared.settings().changed_by(self.options);
        prepared.settings = Some(Box::new(settings));
        (prepared.accepts_json, prepared.is_streamed) = (is_json, !is_json);
        Ok(prepared)
    }
}

fn prepared(client: &Client, method: Method, path: &str) -> Result<Box<Prepared>, String> {
    let mut operations = OPERATIONS.iter();
    let operation = operations.find(|operation| operation.method == method);
    let operation =
        operation.ok_or_else(|| format!("requests with the method {method} cannot be sent"))?;
    let base = &client.shared.base;
    let url = base.join(&format!(".{path}"));
    // The request carries the credential.
    let url = url.ok().filter(|url| {
        path.starts_with('/')
            && url.origin() == base.origin()
            && url.path().starts_with(base.path())
    });
    let url =
        url.ok_or("the path of a request has to begin with `/` and to stay below the base URL")?;
    Ok(Box::new(Prepared {
        client: client.clone(),
        settings: None,
        request: reqwest::Request::new(method, url),
        accepts_json: false,
        is_streamed: false,
        operation,
    }))
}

impl<C> fmt::Debug for RawRequest<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawRequest").finish_non_exhaustive()
    }
}
