//! Serves requests with the generated router, table and dispatch, like a service, and records the
//! arguments of the handlers.

use crate::{api, probe};
use dropshot::{
    Body, ClientErrorStatusCode, ErrorStatusCode, HttpError, HttpResponseError, RequestInfo,
};
use dropshot_request_context::RequestContexts;
use http::{Request, Response};
use http_body_util::BodyExt as _;
use openapi_dropshot_types::{Contract as _, Router};
use schemars::JsonSchema;
use serde_json::{Value, json};
use std::{
    error::Error,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::runtime::Runtime;

/// The context of the handlers.
pub(crate) struct Context {
    router: Router,
    exchange: Mutex<Exchange>,
}

/// The current exchange. There is only one at a time.
#[derive(Default)]
struct Exchange {
    /// The arguments of the handler, as text.
    arguments: Option<String>,
    /// The error that the handler must return.
    requested_error: Option<RequestedError>,
}

/// An error that a handler must return.
#[derive(Clone, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct RequestedError {
    /// The index of the error among the errors of the operation.
    pub(crate) index: u64,
    pub(crate) status: u16,
    pub(crate) body: String,
    /// The value of each header, by its name in the document.
    pub(crate) headers: serde_json::Map<String, Value>,
}

impl RequestedError {
    /// Returns the value of a header.
    pub(crate) fn header<T: serde::de::DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_value(self.headers.get(name).cloned().unwrap_or_default()).ok()
    }

    /// Converts the error to dropshot's own error, for handlers that return that type.
    pub(crate) fn into_error(self) -> HttpError {
        HttpError {
            status_code: ErrorStatusCode::from_u16(self.status)
                .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR),
            error_code: None,
            external_message: "requested".to_owned(),
            internal_message: "requested".to_owned(),
            headers: None,
        }
    }
}

impl Context {
    fn exchange(&self) -> MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the arguments of a handler, and returns the error that it must return.
    pub(crate) fn saw(&self, arguments: String) -> Option<RequestedError> {
        let mut exchange = self.exchange();
        exchange.arguments = Some(arguments);
        exchange.requested_error.clone()
    }
}

/// The error of a handler that has no response.
pub(crate) fn no_response() -> HttpError {
    HttpError::for_internal_error("no response".to_owned())
}

/// Serves requests that are not sent over a network.
pub(crate) struct Server {
    runtime: Runtime,
    contexts: RequestContexts<Arc<Context>>,
}

impl Server {
    /// Starts the server.
    pub(crate) fn start() -> Result<Self, Box<dyn Error>> {
        let context = Arc::new(Context {
            router: api::Generated::<probe::Probe>::router()?,
            exchange: Mutex::default(),
        });
        let log = slog::Logger::root(slog::Discard, slog::o!());
        Ok(Server {
            runtime: Runtime::new()?,
            contexts: RequestContexts::new(context, 1 << 24, log)?,
        })
    }

    /// Serves one request and returns the response and the arguments of the handler.
    pub(crate) fn request(&self, query: &Value) -> Result<Value, Box<dyn Error>> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut request = Request::builder()
            .method(text(&query["method"]).as_str())
            .uri(text(&query["path"]));
        for header in query["headers"].as_array().into_iter().flatten() {
            request = request.header(text(&header[0]), text(&header[1]));
        }
        let body = query["body"].as_str().map(str::to_owned);
        let request = request.body(body.map_or_else(Body::empty, Body::from))?;
        let context = self.contexts.context();
        *context.exchange() = Exchange {
            arguments: None,
            requested_error: serde_json::from_value(query["error"].clone())?,
        };
        self.runtime.block_on(async {
            let response = self.respond(request).await;
            let response = response.unwrap_or_else(|error| error.into_response("roundtrip"));
            let status = response.status().as_u16();
            let headers = response.headers().keys().map(http::HeaderName::as_str);
            let headers: Vec<String> = headers.map(str::to_owned).collect();
            let body = response.into_body().collect().await;
            let body = body.map_err(|error| -> Box<dyn Error> { error })?;
            let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
            let arguments = context.exchange().arguments.take();
            Ok(json!({ "status": status, "headers": headers, "body": body, "arguments": arguments }))
        })
    }

    async fn respond(&self, request: Request<Body>) -> Result<Response<Body>, HttpError> {
        let router = &self.contexts.context().router;
        let (operation, endpoint) = router.find(request.method(), request.uri().path())?;
        if !operation.security.is_open
            && !request.headers().contains_key(http::header::AUTHORIZATION)
        {
            let status = ClientErrorStatusCode::UNAUTHORIZED;
            let message = "no key".to_owned();
            return Err(HttpError::for_client_error(None, status, message));
        }
        let information = RequestInfo::new(&request, ([127, 0, 0, 1], 1).into());
        let rqctx = self.contexts.make(endpoint, "roundtrip".to_owned(), information);
        match api::Generated::<probe::Probe>::dispatch(operation, rqctx, request).await {
            Ok(response) => Ok(response),
            Err(rejection) => {
                let headers = rejection.headers.clone();
                let (status, body) = probe::rejection(rejection);
                let mut response = Response::builder().status(status);
                if let Some(own) = response.headers_mut() {
                    own.extend(headers.into_iter().flat_map(|own| *own));
                }
                Ok(response.body(body.to_string().into())?)
            }
        }
    }
}

/// The error type of endpoints that exist only to describe types. No handler returns it. The name
/// of dropshot's own error could also be the name of a schema in the document.
#[derive(Debug, serde::Serialize, JsonSchema)]
#[schemars(rename = "RoundtripHandlerError")]
pub(crate) struct HandlerError(String);

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<HttpError> for HandlerError {
    fn from(error: HttpError) -> Self {
        HandlerError(error.external_message)
    }
}

impl HttpResponseError for HandlerError {
    fn status_code(&self) -> ErrorStatusCode {
        ErrorStatusCode::INTERNAL_SERVER_ERROR
    }
}
