//! Serves health and metrics on the admin listener. It serves no operation of the API, requires
//! no key, and must not be reachable by clients. `/livez` reports that the process can respond;
//! it checks nothing else, because a restart repairs nothing else. `/readyz` reports whether the
//! server accepts traffic. `/metrics` returns the metrics.

use crate::{
    config::AdminListen,
    metrics::Metrics,
    readiness::{Phase, Readiness},
    state::State,
};
use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::Full;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
    borrow::Cow,
    convert::Infallible,
    io,
    net::{SocketAddr, TcpListener as StdListener},
    sync::Arc,
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
};

/// The most connections at the same time; further ones wait.
const CONNECTIONS: usize = 64;
/// The time in which the head of a request has to arrive.
const HEAD: Duration = Duration::from_secs(5);
/// The time limit of a connection, which serves one request.
const CONNECTION: Duration = Duration::from_secs(15);
/// The pause after a connection could not be accepted because of too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The time in which the state has to respond: less than the second that a
/// Kubernetes probe waits.
const STATE: Duration = Duration::from_millis(800);

const TEXT: &str = "text/plain; charset=utf-8";
/// The media type of the text format, which every version of Prometheus reads.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The parts of the server that the listener reports on.
pub struct Subject<S> {
    /// The phase of the server.
    pub readiness: Arc<Readiness>,
    /// The state of the service: its readiness is reported, too.
    pub state: Arc<S>,
    /// The metrics; `None` where they are switched off.
    pub metrics: Option<Arc<Metrics>>,
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

/// A listener that is bound to its address, but does not respond yet; connections are queued.
pub struct Bound(StdListener);

/// A listener that responds to requests until it is dropped.
pub struct Admin {
    address: SocketAddr,
    _accepting: JoinSet<()>,
}

impl Bound {
    /// Binds the address; returns `None` if the listener is switched off.
    ///
    /// # Errors
    ///
    /// The address is taken, not allowed, or not of this machine.
    pub fn bind(listen: AdminListen) -> Result<Option<Self>, CannotListen> {
        let AdminListen::At(address) = listen else {
            return Ok(None);
        };
        StdListener::bind(address)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .map(|listener| Some(Bound(listener)))
            .map_err(|source| CannotListen { address, source })
    }

    /// Begins to serve requests. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// The runtime cannot take the socket.
    pub fn start<S: State>(self, subject: Subject<S>) -> io::Result<Admin> {
        let listener = TcpListener::from_std(self.0)?;
        let address = listener.local_addr()?;
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, Arc::new(subject)));
        Ok(Admin {
            address,
            _accepting: accepting,
        })
    }
}

impl Admin {
    /// The address on which it listens, with the actual port if 0 was requested.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn accept<S: State>(listener: TcpListener, subject: Arc<Subject<S>>) {
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(place) = free.clone().acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let subject = subject.clone();
                tokio::spawn(async move {
                    // A client that is too slow is disconnected.
                    let _late = tokio::time::timeout(CONNECTION, serve(stream, subject)).await;
                    drop(place);
                });
            }
            Err(problem) => {
                tracing::warn!("the admin listener cannot accept: {problem}");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn serve<S: State>(stream: TcpStream, subject: Arc<Subject<S>>) {
    let responder = service_fn(|request| {
        let subject = subject.clone();
        async move { Ok::<_, Infallible>(respond(&request, &subject).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), responder)
        .await;
    if let Err(problem) = served {
        tracing::debug!("a connection to the admin listener failed: {problem}");
    }
}

type TextResponse = Response<Full<Bytes>>;

async fn respond<B, S: State>(request: &Request<B>, subject: &Subject<S>) -> TextResponse {
    let path = request.uri().path();
    if !["/livez", "/readyz", "/metrics"].contains(&path) {
        return text(
            StatusCode::NOT_FOUND,
            "there are /livez, /readyz and /metrics",
        );
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "use GET or HEAD");
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
    }
    match path {
        "/livez" => text(StatusCode::OK, "alive"),
        "/readyz" => match why_not_ready(subject).await {
            None => text(StatusCode::OK, "ready"),
            Some(why) => text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {why}")),
        },
        _ => metrics(subject),
    }
}

async fn why_not_ready<S: State>(subject: &Subject<S>) -> Option<Cow<'static, str>> {
    match subject.readiness.phase() {
        Phase::Starting => return Some("the service starts".into()),
        Phase::Leaving | Phase::Stopping => return Some("the service stops".into()),
        Phase::Ready => {}
    }
    match tokio::time::timeout(STATE, subject.state.check()).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => {
            tracing::warn!(cause = error.cause(), "not ready: {error}");
            Some(error.to_string().into())
        }
        Err(_) => Some("the store does not respond in time".into()),
    }
}

fn metrics<S>(subject: &Subject<S>) -> TextResponse {
    let Some(metrics) = &subject.metrics else {
        return text(
            StatusCode::NOT_FOUND,
            "metrics are switched off (`--metrics off`)",
        );
    };
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

/// Returns a response with one line of text.
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
