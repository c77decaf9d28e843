//! Serves requests with the generated router, table and dispatch, as a service
//! does, and records the arguments of the handlers.

use crate::{api, probe};
use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, CONTENT_TYPE_JSON,
    ClientErrorStatusCode, ConfigDropshot, ErrorStatusCode, HandlerTaskMode, HttpError,
    HttpResponseError, HttpServer, Path, RawRequest, RequestContext, ServerBuilder,
};
use http::{Method, Response};
use openapi_dropshot_types::{Contract as _, Router};
use schemars::JsonSchema;
use serde_json::{Value, json};
use std::{
    error::Error,
    fmt,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The longest time of one exchange, far above the usual one.
const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(30);

/// The context of the handlers.
pub(crate) struct Context {
    router: Router,
    exchange: Mutex<Exchange>,
}

/// The current exchange; there is one at a time.
#[derive(Default)]
struct Exchange {
    /// The arguments of the handler, as text.
    arguments: Option<String>,
    /// The error that the handler has to return.
    requested_error: Option<RequestedError>,
}

/// An error that a handler has to return.
#[derive(Clone, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct RequestedError {
    /// The index of the error among the errors of the operation.
    pub(crate) index: u64,
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl RequestedError {
    /// The error as dropshot's own, for handlers that return that.
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

    /// Records the arguments of a handler, and returns the error that it has to return.
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

/// The server, on an address of this machine.
pub(crate) struct Server {
    server: HttpServer<Arc<Context>>,
    address: SocketAddr,
}

/// Starts the server.
pub(crate) async fn start() -> Result<Server, Box<dyn Error>> {
    let mut routes = ApiDescription::new();
    for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let endpoint = ApiEndpoint::new(
            format!("catch_all_{method}"),
            handle_request,
            Method::from_bytes(method.as_bytes())?,
            CONTENT_TYPE_JSON,
            "/{rest:.*}",
            ApiEndpointVersions::All,
        );
        routes.register(endpoint.visible(false))?;
    }
    let context = Context {
        router: api::Generated::<probe::Probe>::router()?,
        exchange: Mutex::default(),
    };
    let config = ConfigDropshot {
        bind_address: ([127, 0, 0, 1], 0).into(),
        default_request_body_max_bytes: 1 << 24,
        default_handler_task_mode: HandlerTaskMode::CancelOnDisconnect,
        ..Default::default()
    };
    let log = slog::Logger::root(slog::Discard, slog::o!());
    let server = ServerBuilder::new(routes, Arc::new(context), log)
        .config(config)
        .start()?;
    let address = server.local_addr();
    Ok(Server { server, address })
}

async fn handle_request(
    mut rqctx: RequestContext<Arc<Context>>,
    _: Path<Rest>,
    request: RawRequest,
) -> Result<Response<Body>, HttpError> {
    let request = request.into_inner();
    let context = Arc::clone(rqctx.context());
    let (operation, endpoint) = context
        .router
        .find(request.method(), request.uri().path())?;
    if operation.security.is_some() && !request.headers().contains_key(http::header::AUTHORIZATION)
    {
        let status = ClientErrorStatusCode::UNAUTHORIZED;
        return Err(HttpError::for_client_error(
            None,
            status,
            "no key".to_owned(),
        ));
    }
    rqctx.endpoint = endpoint;
    match api::Generated::<probe::Probe>::dispatch(operation, rqctx, request).await {
        Ok(response) => Ok(response),
        Err(rejection) => {
            let (status, body) = probe::rejection(rejection);
            Ok(Response::builder()
                .status(status)
                .body(body.to_string().into())?)
        }
    }
}

impl Server {
    /// Sends one request and returns the response and the arguments of the handler.
    pub(crate) fn request(&self, query: &Value) -> Result<Value, Box<dyn Error>> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut request = format!(
            "{} {} HTTP/1.1\r\nhost: roundtrip\r\nconnection: close\r\n",
            text(&query["method"]),
            text(&query["path"])
        );
        for header in query["headers"].as_array().into_iter().flatten() {
            request += &format!("{}: {}\r\n", text(&header[0]), text(&header[1]));
        }
        let body = text(&query["body"]);
        if !query["body"].is_null() {
            request += &format!("content-length: {}\r\n", body.len());
        }
        request += &format!("\r\n{body}");
        let context = self.server.app_private();
        *context.exchange() = Exchange {
            arguments: None,
            requested_error: serde_json::from_value(query["error"].clone())?,
        };

        let mut stream = TcpStream::connect_timeout(&self.address, EXCHANGE_TIMEOUT)?;
        stream.set_read_timeout(Some(EXCHANGE_TIMEOUT))?;
        stream.write_all(request.as_bytes())?;
        let mut response = Vec::new();
        stream.read_to_end(&mut response)?;
        let response = String::from_utf8_lossy(&response);
        let (head, body) = response.split_once("\r\n\r\n").unwrap_or((&response, ""));
        let status: u16 = head.split(' ').nth(1).unwrap_or_default().parse()?;
        let arguments = context.exchange().arguments.take();
        Ok(json!({ "status": status, "body": body, "arguments": arguments }))
    }
}

/// The variable of the catch-all path; it is not read.
#[derive(serde::Deserialize, JsonSchema)]
struct Rest {
    #[expect(dead_code, reason = "declares the variable")]
    rest: Vec<String>,
}

/// The error type of the endpoints that exist only to describe types; no handler returns
/// it. The name of dropshot's own error could be that of a schema of the document.
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
