//! Requests that the document of a client does not describe.

use crate::{
    CallOptions, Client, Error, ErrorCode, Response, error::Failure, generated::Request,
    operation::Operation, prepared::Prepared,
};
use http::{HeaderName, HeaderValue, Method, header::CONTENT_TYPE};
use progenitor_client::ByteStream;
use reqwest::Url;
use serde::{Serialize, de::DeserializeOwned};
use std::marker::PhantomData;

/// A request that the document does not describe, such as a request for a newer service. [`Client::request`] creates it. It uses
/// the API key, the retries, the time limits and the interceptors of the client. It does not use credentials that were set for
/// security schemes, because the document does not say which ones the request requires: set their headers yourself. For
/// interceptors and spans, it is the operation `request` with the path `{path}`.
///
/// A `POST` or `PATCH` is repeated only if this is safe: add the header `idempotency-key` if the service supports it.
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
    client: Client,
    prepared: Result<(&'static Operation, reqwest::Request), Failure>,
    options: CallOptions,
    codes: PhantomData<fn() -> C>,
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

static OPERATIONS: [Operation; 8] = [
    raw(Method::GET),
    raw(Method::HEAD),
    raw(Method::POST),
    raw(Method::PUT),
    raw(Method::PATCH),
    raw(Method::DELETE),
    raw(Method::OPTIONS),
    raw(Method::QUERY),
];

impl Client {
    /// Creates a request that the document does not describe, with a path relative to the base URL, such as `/books/7/cover?size=2`; see
    /// [`RawRequest`].
    pub fn request<C>(&self, method: Method, path: &str) -> RawRequest<C> {
        RawRequest {
            client: self.clone(),
            prepared: prepared(self, method, path).map_err(Failure::invalid_request),
            options: CallOptions::new(),
            codes: PhantomData,
        }
    }
}

impl<C> RawRequest<C> {
    /// Replaces the settings of this call.
    pub fn with(mut self, options: CallOptions) -> Self {
        self.options = options;
        self
    }

    /// Adds a header to this request; see [`CallOptions::header`].
    pub fn header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        self.options = self.options.header(name, value);
        self
    }

    /// Sets a JSON body.
    pub fn json(self, body: &impl Serialize) -> Self {
        match serde_json::to_vec(body) {
            Ok(body) => self.body("application/json", body),
            Err(error) => RawRequest {
                prepared: Err(Failure::not_built(error)),
                ..self
            },
        }
    }

    /// Sets a body of another media type.
    pub fn body(mut self, media_type: &'static str, body: impl Into<reqwest::Body>) -> Self {
        if let Ok((_, request)) = &mut self.prepared {
            let headers = request.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
            *request.body_mut() = Some(body.into());
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
        self.finish().json().await
    }

    /// Sends the request. The body of the response is read as it arrives.
    ///
    /// # Errors
    ///
    /// Those of every call; see [`Error`].
    pub async fn send_for_bytes(self) -> Result<Response<ByteStream, C>, Error<C>> {
        self.finish().bytes().await
    }

    fn finish(self) -> Request {
        let prepared = self.prepared.and_then(|(operation, request)| {
            Prepared::new(self.client, operation, request, Some(self.options))
        });
        Request(prepared)
    }
}

fn prepared(
    client: &Client,
    method: Method,
    path: &str,
) -> Result<(&'static Operation, reqwest::Request), String> {
    let mut operations = OPERATIONS.iter();
    let Some(operation) = operations.find(|operation| operation.method == method) else {
        return Err(format!("requests with the method {method} cannot be sent"));
    };
    let base = &client.shared.base;
    let url = base.join(&format!(".{path}"));
    // The request contains the credential.
    let stays = |url: &Url| url.origin() == base.origin() && url.path().starts_with(base.path());
    let url = url.ok().filter(|url| path.starts_with('/') && stays(url));
    let url =
        url.ok_or("the path of a request must begin with `/` and must stay below the base URL")?;
    Ok((operation, reqwest::Request::new(method, url)))
}

debug_fields!([C] RawRequest<C>);
