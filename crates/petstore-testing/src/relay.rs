//! A relay in front of the service that counts requests and injects faults.

use crate::{
    fault::{Faults, Kind},
    operation,
};
use bytes::Bytes;
use futures::{StreamExt as _, stream};
use http::{
    Request, Response, Uri,
    header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, TRANSFER_ENCODING},
    uri::{Authority, Scheme},
};
use http_body_util::{BodyExt as _, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    body::{Frame, Incoming},
    server::conn::http1 as server,
    service::service_fn,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use petstore_server::OperationId;
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

type Error = Box<dyn std::error::Error + Send + Sync>;
type RelayResponse = Response<UnsyncBoxBody<Bytes, Error>>;

/// The state that all connections share.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) faults: Faults,
    /// The number of received requests by operation.
    pub(crate) received: HashMap<OperationId, u64>,
}

/// The running relay. It ends with all its connections when this is dropped.
#[derive(Debug)]
pub(crate) struct Relay {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<State>>,
    tasks: JoinSet<()>,
}

impl Relay {
    /// Binds a free port of this machine and starts to relay requests to the service at this
    /// address.
    pub(crate) async fn before(service: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::<Mutex<State>>::default();
        let service = Service::at(service);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, service, state.clone()));
        Ok(Relay {
            address,
            state,
            tasks,
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Ends the relay, and returns when the port is free again.
    pub(crate) async fn stop(&mut self) {
        self.tasks.shutdown().await;
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, service: Service, state: Arc<Mutex<State>>) {
    // These tasks are aborted when this task is aborted.
    let mut connections = JoinSet::new();
    loop {
        // The error belongs to the connection that was to be accepted, not to the listener.
        if let Ok((stream, _)) = listener.accept().await {
            connections.spawn(serve(stream, service.clone(), state.clone()));
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, service: Service, state: Arc<Mutex<State>>) {
    // Small responses must be sent without waiting for each other.
    let _ = stream.set_nodelay(true);
    let relay = service_fn(|request| handle(request, &service, &state));
    // Broken connections are expected here.
    let _ = server::Builder::new()
        .serve_connection(TokioIo::new(stream), relay)
        .await;
}

/// Returning an error closes the connection.
async fn handle(
    request: Request<Incoming>,
    service: &Service,
    state: &Mutex<State>,
) -> Result<RelayResponse, Error> {
    let operation = operation::of(request.method(), request.uri());
    let fault = {
        let mut state = locked(state);
        if let Some(operation) = operation {
            *state.received.entry(operation).or_default() += 1;
        }
        state.faults.next(operation)
    };
    if let Some(Kind::Slow(by)) = fault {
        tokio::time::sleep(by).await;
    }
    match fault {
        None | Some(Kind::Slow(_)) => Ok(whole(service.send(request).await?)),
        Some(Kind::Response {
            status,
            media_type,
            retry_after,
            body,
        }) => {
            let mut response = Response::builder()
                .status(status)
                .header(CONTENT_TYPE, media_type);
            if let Some(seconds) = retry_after {
                response = response.header(RETRY_AFTER, seconds);
            }
            let body = Full::from(body).map_err(|never| match never {});
            Ok(response.body(body.boxed_unsync())?)
        }
        Some(Kind::CutBefore) => Err(cut()),
        Some(Kind::CutAfter) => {
            service.send(request).await?.into_body().collect().await?;
            Err(cut())
        }
        Some(Kind::Truncated) => half(service.send(request).await?).await,
    }
}

/// The connection to the service: its address and an HTTP client.
#[derive(Clone)]
struct Service {
    address: SocketAddr,
    client: Client<HttpConnector, Incoming>,
}

impl Service {
    fn at(address: SocketAddr) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self {
            address,
            client: Client::builder(TokioExecutor::new()).build(connector),
        }
    }

    async fn send(&self, mut request: Request<Incoming>) -> Result<Response<Incoming>, Error> {
        let mut uri = std::mem::take(request.uri_mut()).into_parts();
        uri.scheme = Some(Scheme::HTTP);
        uri.authority = Some(Authority::try_from(self.address.to_string())?);
        *request.uri_mut() = Uri::from_parts(uri)?;
        Ok(self.client.request(request).await?)
    }
}

fn whole(response: Response<Incoming>) -> RelayResponse {
    response.map(|body| body.map_err(Into::into).boxed_unsync())
}

/// The head announces the length of the whole body, but only half of it is sent.
async fn half(response: Response<Incoming>) -> Result<RelayResponse, Error> {
    let (mut head, body) = response.into_parts();
    let body = body.collect().await?.to_bytes();
    head.headers.remove(TRANSFER_ENCODING);
    head.headers.insert(CONTENT_LENGTH, body.len().into());
    let first = body.slice(..body.len() / 2);
    let parts = stream::iter([Ok(Frame::data(first))]).chain(stream::once(async {
        // Sends the first half before the connection is closed.
        tokio::task::yield_now().await;
        Err(cut())
    }));
    Ok(Response::from_parts(
        head,
        StreamBody::new(parts).boxed_unsync(),
    ))
}

fn cut() -> Error {
    io::Error::from(io::ErrorKind::ConnectionAborted).into()
}
