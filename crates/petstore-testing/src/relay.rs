//! A relay in front of the service that counts requests and injects faults.

use crate::{
    fault::{Faults, Kind, Rejection},
    operation,
};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{
    HeaderValue, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, TRANSFER_ENCODING},
};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    client::conn::http1::{self as client, SendRequest},
    server::conn::http1 as server,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use petstore_server::OperationId;
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

type Error = Box<dyn std::error::Error + Send + Sync>;
type RelayResponse = Response<UnsyncBoxBody<Bytes, Error>>;

const BAD_GATEWAY: &str = "<html><body><h1>502 Bad Gateway</h1></body></html>\n";

/// The state that all connections share.
#[derive(Debug, Default)]
pub(crate) struct State(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    faults: Faults,
    received: HashMap<OperationId, u64>,
}

impl State {
    pub(crate) fn faults(&self, change: impl FnOnce(&mut Faults)) {
        change(&mut self.inner().faults);
    }

    pub(crate) fn received(&self, operation: OperationId) -> u64 {
        self.inner().received.get(&operation).copied().unwrap_or(0)
    }

    fn arrived(&self, operation: Option<OperationId>) -> Option<Kind> {
        let mut inner = self.inner();
        if let Some(operation) = operation {
            *inner.received.entry(operation).or_default() += 1;
        }
        inner.faults.next(operation)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The running relay; it ends when this is dropped, and so do its connections.
#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    pub(crate) state: Arc<State>,
    task: JoinHandle<()>,
}

impl Relay {
    /// Takes a free port of this machine, and stands before the service at this
    /// address.
    pub(crate) async fn before(service: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let task = tokio::spawn(accept(listener, service, state.clone()));
        Ok(Relay {
            address,
            state,
            task,
        })
    }

    /// Ends, and returns once the port is free again.
    pub(crate) async fn stop(&mut self) {
        self.task.abort();
        // It was cancelled, which is what was asked for.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, service: SocketAddr, state: Arc<State>) {
    // Aborted when this task is.
    let mut connections = JoinSet::new();
    loop {
        // An error is of the connection that was to be accepted, not of this end.
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(serve(stream, service, state.clone()));
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, service: SocketAddr, state: Arc<State>) {
    // Small responses must not wait for each other.
    let _ = stream.set_nodelay(true);
    let onward = tokio::sync::Mutex::new(Onward {
        service,
        connection: None,
    });
    let relay = service_fn(|request| handle(request, &onward, &state));
    // A connection that breaks is what this is for.
    let _ = server::Builder::new()
        .serve_connection(TokioIo::new(stream), relay)
        .await;
}

/// An error cuts the connection.
async fn handle(
    request: Request<Incoming>,
    onward: &tokio::sync::Mutex<Onward>,
    state: &State,
) -> Result<RelayResponse, Error> {
    let fault = state.arrived(operation::of(request.method(), request.uri()));
    let mut onward = onward.lock().await;
    match fault {
        None => Ok(whole(onward.send(request).await?)),
        Some(Kind::Rejected(rejection, retry_after)) => rejected(rejection, retry_after),
        Some(Kind::BadGateway) => bad_gateway(),
        Some(Kind::Slow(by)) => {
            tokio::time::sleep(by).await;
            Ok(whole(onward.send(request).await?))
        }
        Some(Kind::CutBefore) => Err(cut()),
        Some(Kind::CutAfter) => {
            onward.send(request).await?.into_body().collect().await?;
            Err(cut())
        }
        Some(Kind::Truncated) => half(onward.send(request).await?).await,
    }
}

/// The way to the service, for one connection of a client.
struct Onward {
    service: SocketAddr,
    connection: Option<SendRequest<Incoming>>,
}

impl Onward {
    async fn send(&mut self, request: Request<Incoming>) -> Result<Response<Incoming>, Error> {
        let reusable = match self.connection.take() {
            Some(mut connection) => connection.ready().await.is_ok().then_some(connection),
            None => None,
        };
        let connection = match reusable {
            Some(connection) => connection,
            None => connect(self.service).await?,
        };
        Ok(self
            .connection
            .insert(connection)
            .send_request(request)
            .await?)
    }
}

async fn connect(service: SocketAddr) -> Result<SendRequest<Incoming>, Error> {
    let stream = TcpStream::connect(service).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = client::handshake(TokioIo::new(stream)).await?;
    // It ends when the sender is dropped.
    tokio::spawn(connection);
    Ok(sender)
}

fn whole(response: Response<Incoming>) -> RelayResponse {
    response.map(|body| body.map_err(Into::into).boxed_unsync())
}

/// The head says how long the body is, and half of it comes.
async fn half(response: Response<Incoming>) -> Result<RelayResponse, Error> {
    let (mut head, body) = response.into_parts();
    let body = body.collect().await?.to_bytes();
    head.headers.remove(TRANSFER_ENCODING);
    head.headers.insert(CONTENT_LENGTH, body.len().into());
    let first = body.slice(..body.len() / 2);
    let parts = stream::iter([Ok(Frame::data(first))]).chain(stream::once(async {
        // The first half is on its way before the connection is cut.
        tokio::task::yield_now().await;
        Err(cut())
    }));
    Ok(Response::from_parts(
        head,
        StreamBody::new(parts).boxed_unsync(),
    ))
}

fn rejected(rejection: Rejection, retry_after: Duration) -> Result<RelayResponse, Error> {
    let (status, code, message) = match rejection {
        Rejection::Overloaded => (
            503,
            "overloaded",
            "too many requests are running; try again",
        ),
        Rejection::Unavailable => (503, "unavailable", "the store cannot be reached; try again"),
        Rejection::RateLimited => (429, "rate_limited", "the key made too many requests; wait"),
    };
    let body = serde_json::json!({ "code": code, "message": message, "status": status });
    let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
    let mut response = response_of(status, "application/json", body.to_string())?;
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    Ok(response)
}

fn bad_gateway() -> Result<RelayResponse, Error> {
    response_of(502, "text/html", BAD_GATEWAY.to_owned())
}

fn response_of(
    status: u16,
    media_type: &'static str,
    body: String,
) -> Result<RelayResponse, Error> {
    let body = Full::from(body).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(status)?;
    let media_type = HeaderValue::from_static(media_type);
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(response)
}

fn cut() -> Error {
    io::Error::from(io::ErrorKind::ConnectionAborted).into()
}
