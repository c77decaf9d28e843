//! Serves health and metrics on the admin listener. The listener serves no operation of the API,
//! requires no key, and must not be reachable by clients. `/livez` reports that the process can
//! respond. It checks nothing else, because a restart would not fix any other problem. `/readyz`
//! reports whether the server accepts requests, even while the service still opens its state.
//! `/metrics` returns the metrics, and `/usage` a page about the usage of deprecated operations; both
//! exist as soon as the server exists.

use crate::{
    config::{AdminListen, HostNames},
    listener,
    lock::lock,
    pipeline::Context,
    readiness::Phase,
    server::Server,
    state::State,
    usage_report::{UsageReport, first_day_shown},
};
use async_trait::async_trait;
use bytes::Bytes;
use chrono::Utc;
use dropshot_request_context::RequestContexts;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST},
    uri::Authority,
};
use http_body_util::Full;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    borrow::Cow,
    collections::VecDeque,
    convert::Infallible,
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// The highest number of connections at the same time. To make room for a further connection, the
/// oldest connection without a complete request head is closed; if there is none, the new connection
/// waits.
const CONNECTIONS: usize = 64;
/// The largest head of a request.
const HEAD_BYTES: usize = 16 << 10;
/// How long the head of a request may take to arrive.
const HEAD: Duration = Duration::from_secs(5);
/// The time limit of a connection, which serves only one request.
const CONNECTION: Duration = Duration::from_secs(15);
/// The pause after a connection could not be accepted because of too many open files, and the
/// interval at which the listener checks whether a request has ended.
const PAUSE: Duration = Duration::from_millis(100);

/// How long the state may take to respond: less than the second that a Kubernetes probe waits.
const STATE: Duration = Duration::from_millis(800);

/// How long the state may take to return the usage, which it reads completely.
const USAGE: Duration = Duration::from_secs(5);

const STARTING: &str = "the service is starting";
const NO_RESPONSE: &str = "the store does not respond in time";

const HTML: &str = "text/html; charset=utf-8";
/// The content security policy: the page contains inline styles and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TEXT: &str = "text/plain; charset=utf-8";
/// The media type of the text format, which every version of Prometheus reads.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The state that all connections of the listener share.
struct Shared {
    /// The host names that the header `Host` of requests may contain.
    hosts: HostNames,
    /// The server that the listener reports on; not set before it exists.
    server: OnceLock<Arc<dyn Report>>,
    /// What the service is waiting for while there is no server yet.
    waits_for: Mutex<Option<String>>,
}

impl Shared {
    fn why_not_started(&self) -> Cow<'static, str> {
        match &*lock(&self.waits_for) {
            Some(reason) => format!("{STARTING} and waits: {reason}").into(),
            None => STARTING.into(),
        }
    }
}

/// The data of a server that the listener reports.
#[async_trait]
trait Report: Send + Sync {
    async fn why_not_ready(&self) -> Option<Cow<'static, str>>;
    async fn metrics(&self) -> TextResponse;
    async fn usage(&self) -> TextResponse;
}

#[async_trait]
impl<S: State> Report for RequestContexts<Context<S>> {
    async fn why_not_ready(&self) -> Option<Cow<'static, str>> {
        let context = self.context();
        match context.readiness.phase() {
            Phase::Starting => return Some(STARTING.into()),
            Phase::Leaving | Phase::Stopping => return Some("the service is stopping".into()),
            Phase::Ready => {}
        }
        match tokio::time::timeout(STATE, context.state.check()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::warn!(cause = error.cause(), "not ready: {error}");
                Some(error.to_string().into())
            }
            Err(_) => Some(NO_RESPONSE.into()),
        }
    }

    async fn metrics(&self) -> TextResponse {
        let Some(metrics) = &self.context().metrics else {
            return text(
                StatusCode::NOT_FOUND,
                "metrics are switched off (`--metrics off`)",
            );
        };
        // The state is checked at each scrape, because an outage must be visible even without
        // requests: a load balancer that uses `/readyz` sends none.
        metrics.set_ready(self.why_not_ready().await.is_none());
        match metrics.text() {
            Ok(counted) => with(StatusCode::OK, METRICS, counted),
            Err(problem) => {
                tracing::error!("the metrics cannot be written: {problem}");
                text(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "the metrics cannot be written",
                )
            }
        }
    }

    /// Responds with the page about the usage of deprecated operations.
    async fn usage(&self) -> TextResponse {
        let (context, now) = (self.context(), Utc::now());
        let stored = context
            .state
            .stored_usage(first_day_shown(now.date_naive()));
        match tokio::time::timeout(USAGE, stored).await {
            Ok(Ok(Some(stored))) => {
                let report = UsageReport::new(context.operations, stored, now);
                let mut response = with(StatusCode::OK, HTML, report.to_html());
                response
                    .headers_mut()
                    .insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
                response
            }
            Ok(Ok(None)) => text(
                StatusCode::NOT_FOUND,
                "the service does not store the usage",
            ),
            Ok(Err(error)) => {
                tracing::warn!(cause = error.cause(), "the usage cannot be read: {error}");
                text(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
            }
            Err(_) => text(StatusCode::SERVICE_UNAVAILABLE, NO_RESPONSE),
        }
    }
}

/// The address is not available.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot listen on {address} for health and metrics; choose another address with `--admin-listen`, or `off`"
)]
pub struct CannotListen {
    /// The requested address.
    pub address: SocketAddr,
    /// The reason.
    pub source: io::Error,
}

/// A listener that responds to requests until it is dropped.
pub struct Admin {
    address: SocketAddr,
    shared: Arc<Shared>,
    _accepting: JoinSet<()>,
}

impl Admin {
    /// Binds the address and starts to serve requests; returns `None` if the listener is switched
    /// off. Until [`report_on`](Self::report_on) is called, the listener reports that the process is
    /// alive but not ready. Must be called inside a tokio runtime.
    ///
    /// The `Host` of a request must be an address, `localhost` or one of the names. Otherwise a web
    /// page of another site could access this listener by resolving the name of that site to this
    /// machine (DNS rebinding).
    ///
    /// # Errors
    ///
    /// Returns an error if the address is in use, not allowed, or does not belong to this machine.
    pub fn listen(listen: AdminListen, hosts: HostNames) -> Result<Option<Self>, CannotListen> {
        let AdminListen::At(address) = listen else {
            return Ok(None);
        };
        let bound = listener::listen(address)
            .and_then(|listener| Ok((listener.local_addr()?, listener)))
            .map_err(|source| CannotListen { address, source });
        let (address, listener) = bound?;
        let shared = Arc::new(Shared {
            hosts,
            server: OnceLock::new(),
            waits_for: Mutex::default(),
        });
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, shared.clone()));
        Ok(Some(Admin {
            address,
            shared,
            _accepting: accepting,
        }))
    }

    /// Returns the address on which it listens, with the actual port if port 0 was requested.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Reports on this server from now on. Only the first call has an effect.
    pub fn report_on<S: State>(&self, server: &Server<S>) {
        let _already_set = self.shared.server.set(server.contexts().clone());
    }

    /// Sets what the service is waiting for before there is a server; `/readyz` shows it.
    pub fn waits_for(&self, reason: String) {
        *lock(&self.shared.waits_for) = Some(reason);
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut open = VecDeque::new();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let has_request = Arc::<AtomicBool>::default();
                let served = serve(stream, shared.clone(), has_request.clone());
                // A client that is too slow is disconnected.
                let served = async { drop(tokio::time::timeout(CONNECTION, served).await) };
                open.push_back(Connection {
                    task: tokio::spawn(served),
                    has_request,
                });
                make_room(&mut open).await;
            }
            Err(problem) => {
                tracing::warn!("the admin listener cannot accept a connection: {problem}");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

struct Connection {
    task: JoinHandle<()>,
    has_request: Arc<AtomicBool>,
}

/// Returns when there is room for another connection.
async fn make_room(open: &mut VecDeque<Connection>) {
    loop {
        open.retain(|connection| !connection.task.is_finished());
        if open.len() < CONNECTIONS {
            return;
        }
        // The newest connection gets time to send its request first.
        tokio::task::yield_now().await;
        let is_incomplete = |open: &Connection| !open.has_request.load(Ordering::Relaxed);
        match open.iter().position(is_incomplete) {
            Some(oldest) => {
                if let Some(connection) = open.remove(oldest) {
                    connection.task.abort();
                }
            }
            None => tokio::time::sleep(PAUSE).await,
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>, has_request: Arc<AtomicBool>) {
    let responder = service_fn(|request| {
        has_request.store(true, Ordering::Relaxed);
        let shared = shared.clone();
        async move { Ok::<_, Infallible>(respond(&request, &shared).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), responder)
        .await;
    if let Err(problem) = served {
        tracing::debug!("a connection to the admin listener failed: {problem}");
    }
}

type TextResponse = Response<Full<Bytes>>;

/// Whether the request is for an address, for `localhost` or for one of these names. Browsers send
/// the host name of the page's site; other clients may send no host name.
fn is_for<B>(request: &Request<B>, hosts: &HostNames) -> bool {
    let HostNames::Named(names) = hosts else {
        return true;
    };
    let headers = request.headers().get_all(HOST).iter();
    let mut headers = headers.map(|value| Authority::try_from(value.as_bytes()).ok());
    let authority = request.uri().authority().cloned().map(Some);
    authority.into_iter().chain(&mut headers).all(|authority| {
        authority.is_some_and(|authority| {
            let host = authority.host().to_ascii_lowercase();
            let address = host.trim_start_matches('[').trim_end_matches(']');
            let is_known =
                host == "localhost" || address.parse::<IpAddr>().is_ok() || names.contains(&host);
            // A host after a user name is not accepted.
            is_known && !authority.as_str().contains('@')
        })
    })
}

async fn respond<B>(request: &Request<B>, shared: &Shared) -> TextResponse {
    if !is_for(request, &shared.hosts) {
        return text(
            StatusCode::MISDIRECTED_REQUEST,
            "this listener only responds to requests whose `Host` is an IP address or localhost; allow other names with `--admin-hosts`",
        );
    }
    let path = request.uri().path();
    if !["/livez", "/readyz", "/metrics", "/usage"].contains(&path) {
        return text(
            StatusCode::NOT_FOUND,
            "this listener serves /livez, /readyz, /metrics and /usage",
        );
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "use GET or HEAD");
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match (path, shared.server.get()) {
        ("/livez", _) => text(StatusCode::OK, "alive"),
        ("/readyz", server) => {
            let why = match server {
                Some(server) => server.why_not_ready().await,
                None => Some(shared.why_not_started()),
            };
            match why {
                None => text(StatusCode::OK, "ready"),
                Some(why) => text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {why}")),
            }
        }
        (_, None) => text(StatusCode::SERVICE_UNAVAILABLE, STARTING),
        ("/usage", Some(server)) => server.usage().await,
        (_, Some(server)) => server.metrics().await,
    }
}

fn text(status: StatusCode, line: impl Into<String>) -> TextResponse {
    with(status, TEXT, line.into() + "\n")
}

fn with(status: StatusCode, content_type: &'static str, body: String) -> TextResponse {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
