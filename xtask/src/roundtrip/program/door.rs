//! Serves requests by the generated router, table and dispatch, as the door of
//! a service does, and says what the handlers saw.

use crate::{api, probe};
use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointBodyContentType, ApiEndpointVersions, Body,
    CONTENT_TYPE_JSON, ConfigDropshot, ErrorStatusCode, ExclusiveExtractor, ExtractorMetadata, HandlerTaskMode,
    HttpError, HttpServer, Path, RequestContext, ServerBuilder, ServerContext, SharedExtractor,
};
use http::{Method, Request, Response};
use openapi_dropshot_types::{Contract as _, Router};
use serde_json::{Value, json};
use std::{
    error::Error,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// How long one exchange may take: far longer than any does.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the handlers know.
pub(crate) struct Context {
    router: Router,
    exchange: Mutex<Exchange>,
}

/// The exchange that is going on; there is one at a time.
#[derive(Default)]
struct Exchange {
    /// What the handler was given, as text.
    seen: Option<String>,
    /// The error that the handler shall answer: its place among those of the
    /// operation, its status and its body.
    wanted: Option<Wanted>,
}

/// See [`Exchange::wanted`].
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) index: u64,
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Wanted {
    /// The error, where the handler answers dropshot's own.
    pub(crate) fn into_error(self) -> HttpError {
        HttpError {
            status_code: ErrorStatusCode::from_u16(self.status)
                .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR),
            error_code: None,
            external_message: "asked for".to_owned(),
            internal_message: "asked for".to_owned(),
            headers: None,
        }
    }
}

impl Context {
    /// Notes what a handler was given, and says which error it shall answer.
    pub(crate) fn saw(&self, seen: String) -> Option<Wanted> {
        let mut exchange = self.exchange.lock().unwrap_or_else(PoisonError::into_inner);
        exchange.seen = Some(seen);
        exchange.wanted.clone()
    }
}

/// The answer of a handler that has nothing to answer.
pub(crate) fn nothing() -> HttpError {
    HttpError::for_internal_error("nothing to answer".to_owned())
}

/// The server, on an address of this machine.
pub(crate) struct Door {
    server: HttpServer<Arc<Context>>,
    address: SocketAddr,
}

/// Starts the server.
pub(crate) async fn open() -> Result<Door, Box<dyn Error>> {
    let mut routes = ApiDescription::new();
    for method in [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::OPTIONS,
        Method::PATCH,
    ] {
        let name = format!("door_{method}");
        let endpoint = ApiEndpoint::new(
            name,
            enter,
            method,
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
    Ok(Door { server, address })
}

async fn enter(
    mut rqctx: RequestContext<Arc<Context>>,
    WholeRequest(request): WholeRequest,
) -> Result<Response<Body>, HttpError> {
    let context = Arc::clone(rqctx.context());
    let (operation, endpoint) = context
        .router
        .find(request.method(), request.uri().path())?;
    if operation.security.is_some()
        && !request.headers().contains_key(http::header::AUTHORIZATION)
    {
        return Err(HttpError::for_client_error(
            None,
            dropshot::ClientErrorStatusCode::UNAUTHORIZED,
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

impl Door {
    /// Sends one request and says what came of it.
    pub(crate) fn request(&self, question: &Value) -> Result<Value, Box<dyn Error>> {
        let text = |name: &str| question[name].as_str().unwrap_or_default();
        let mut head = format!(
            "{} {} HTTP/1.1\r\nhost: roundtrip\r\nconnection: close\r\n",
            text("method"),
            text("path")
        );
        for header in question["headers"].as_array().into_iter().flatten() {
            let (name, value) = (
                header[0].as_str().unwrap_or_default(),
                header[1].as_str().unwrap_or_default(),
            );
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = question["body"].as_str() {
            head.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
        } else {
            head.push_str("\r\n");
        }
        let wanted = question.get("error").map(|wanted| Wanted {
            index: wanted["index"].as_u64().unwrap_or_default(),
            status: wanted["status"]
                .as_u64()
                .and_then(|status| status.try_into().ok())
                .unwrap_or(500),
            body: wanted["body"].as_str().unwrap_or_default().to_owned(),
        });
        *self.exchange() = Exchange { seen: None, wanted };

        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.write_all(head.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status: u16 = head.split(' ').nth(1).unwrap_or_default().parse()?;
        let seen = self.exchange().seen.take();
        Ok(json!({ "status": status, "body": body, "seen": seen }))
    }

    fn exchange(&self) -> std::sync::MutexGuard<'_, Exchange> {
        self.server
            .app_private()
            .exchange
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request as it came, whatever its path.
struct WholeRequest(Request<Body>);

/// The variable of the catch-all path; nobody reads it.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Rest {
    #[expect(dead_code, reason = "declares the variable")]
    rest: Vec<String>,
}

#[async_trait::async_trait]
impl ExclusiveExtractor for WholeRequest {
    async fn from_request<C: ServerContext>(
        _: &RequestContext<C>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        Ok(WholeRequest(request))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <Path<Rest> as SharedExtractor>::metadata(content_type)
    }
}
