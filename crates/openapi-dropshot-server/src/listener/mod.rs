//! The HTTP server of the API: accepts connections within limits, and passes each request to the middleware
//! pipeline. dropshot's own server has no limits for connections, for the heads of requests or for responses
//! that clients do not read.

mod stream;

use crate::{
    config::Limits,
    connections::{Connection, Connections},
    lock::lock,
    open_files,
    pipeline::{self, Context, Cost},
    state::{State, TlsInfo},
    tls::Tls,
};
use dropshot::Body;
use dropshot_request_context::RequestContexts;
use futures::{
    FutureExt as _,
    future::{Either, poll_fn},
};
use http::{Request, Version};
use hyper::{body::Incoming, rt::Executor, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use openapi_dropshot_types::Contract;
use rustls::{ServerConfig, ServerConnection};
use std::{
    convert::Infallible,
    future::{Future, ready},
    io::{self, ErrorKind},
    net::SocketAddr,
    pin::pin,
    sync::{Arc, Mutex, PoisonError, RwLock, Weak},
    task::Poll,
    time::Duration,
};
use stream::{HandshakeLimit, Stream};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream},
    task::{JoinSet, yield_now},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tracing::Instrument as _;

/// The pause after a connection could not be accepted.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);
/// How many connections may wait to be accepted, if the operating system allows as many.
const BACKLOG: u32 = 4096;
/// The time that a TLS handshake may take.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How many bytes are read from a client before the handshake has ended. A typical handshake has 2 kB, and
/// rustls may read the first record of 16 KiB together with the end of the handshake.
const MAX_HANDSHAKE_BYTES: usize = 24 << 10;
/// How many bytes may be encrypted for a client that does not read them: one TLS record.
const TLS_BUFFER_BYTES: usize = 16 << 10;
/// The largest head of a request: the request line and all header fields. HTTP/2 has the same
/// limit for the list of header fields.
const MAX_HEAD_BYTES: usize = 32 << 10;
/// How many requests an HTTP/2 connection may have at the same time; browsers expect 100 (RFC 9113, section
/// 6.5.2).
const MAX_STREAMS: u32 = 100;
/// How many requests all HTTP/2 connections together should have at the same time. If there are many
/// connections, a new connection is allowed fewer requests, but never fewer than `MIN_STREAMS`.
const MAX_STREAMS_OF_ALL: u32 = 4096;
const MIN_STREAMS: u32 = 4;
/// How many bytes a client may send on an HTTP/2 connection, and on one of its streams, before the service
/// has read them.
const CONNECTION_WINDOW: u32 = 256 << 10;
const STREAM_WINDOW: u32 = 64 << 10;
/// How long an HTTP/2 connection may be silent before it gets a ping, and how long the client has to respond.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PONG_TIMEOUT: Duration = Duration::from_secs(20);

/// A socket that is bound to its address, but does not accept connections yet; connections wait.
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

/// Binds an address and queues connections to it. With the standard library only 128 connections could wait
/// to be accepted; the client of a further connection would have to try again after a second.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    bound_socket(address)?.listen(BACKLOG)
}

/// Reserves an address without accepting connections.
pub(crate) fn bound_socket(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // The standard library does the same, so that the address is free as soon as its listener is closed.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// A listener that accepts connections until it is dropped.
pub(crate) struct Running {
    address: SocketAddr,
    tls: Option<SharedTls>,
    connections: Arc<Connections>,
    /// The tasks that accept connections and that end stalled connections.
    tasks: JoinSet<()>,
}

type SharedTls = Arc<RwLock<Arc<ServerConfig>>>;

/// The state that all connections of a listener share.
struct ListenerState<S: State> {
    contexts: Arc<RequestContexts<Context<S>>>,
    tls: Option<SharedTls>,
    connections: Arc<Connections>,
    /// How long a client may read nothing of a response before it is disconnected.
    stall: Duration,
}

impl Listener {
    /// Binds the address. Must be called inside a tokio runtime.
    pub(crate) fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = listen(address)?;
        let address = socket.local_addr()?;
        Ok(Listener { socket, address })
    }

    /// Starts accepting connections.
    pub(crate) fn start<C, S>(
        self,
        contexts: Arc<RequestContexts<Context<S>>>,
        limits: &Limits,
        tls: Option<Tls>,
    ) -> Running
    where
        C: Contract<Context = Context<S>>,
        S: State,
    {
        let most = open_files::connections(limits.max_connections.get());
        let connections = Arc::new(Connections::new(most));
        let tls = tls.map(|tls| Arc::new(RwLock::new(tls.into_config())));
        let listener = Arc::new(ListenerState {
            contexts,
            tls: tls.clone(),
            connections: connections.clone(),
            stall: limits.response_stall_seconds.duration(),
        });
        let mut tasks = JoinSet::new();
        let (watched, stall) = (connections.clone(), listener.stall);
        let idle = limits.idle_seconds.duration();
        tasks.spawn(async move { watched.end_stalled(stall, idle).await });
        tasks.spawn(accept::<C, S>(self.socket, listener));
        Running {
            address: self.address,
            tls,
            connections,
            tasks,
        }
    }
}

impl Running {
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The open connections.
    pub(crate) fn connections(&self) -> &Arc<Connections> {
        &self.connections
    }

    /// Uses another certificate for new connections if the listener uses TLS.
    pub(crate) fn replace_tls(&self, new: Tls) {
        if let Some(tls) = &self.tls {
            *tls.write().unwrap_or_else(PoisonError::into_inner) = new.into_config();
        }
    }

    /// Stops accepting connections, and waits until the open connections have ended their requests.
    pub(crate) async fn close(mut self) {
        self.tasks.shutdown().await;
        self.connections.shut_down();
        self.connections.all_ended().await;
    }
}

/// Stops as at the end of the program: connections finish their requests.
impl Drop for Running {
    fn drop(&mut self) {
        self.tasks.abort_all();
        self.connections.shut_down();
    }
}

/// Accepts connections. At the limit, it closes other connections to make room for a new one; if none may be
/// closed, new connections wait until another one ends.
async fn accept<C, S>(socket: TcpListener, listener: Arc<ListenerState<S>>)
where
    C: Contract<Context = Context<S>>,
    S: State,
{
    loop {
        match socket.accept().await {
            Ok((stream, peer)) => {
                let connection = listener.connections.open();
                tokio::spawn(serve::<C, S>(stream, peer, connection, listener.clone()));
                listener.connections.make_room().await;
            }
            // The client disconnected before its connection was accepted.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionRefused
                        | ErrorKind::ConnectionAborted
                        | ErrorKind::ConnectionReset
                ) => {}
            Err(error) => {
                tracing::warn!(
                    "cannot accept a connection: {error}; retrying in {ACCEPT_RETRY_PAUSE:?}"
                );
                tokio::time::sleep(ACCEPT_RETRY_PAUSE).await;
            }
        }
    }
}

/// Serves a connection until it ends.
async fn serve<C, S>(
    stream: TcpStream,
    peer: SocketAddr,
    connection: Connection,
    listener: Arc<ListenerState<S>>,
) where
    C: Contract<Context = Context<S>>,
    S: State,
{
    prepare(&stream, listener.stall);
    let Some(tls) = &listener.tls else {
        return serve_http::<C, S>(stream, (peer, None), connection, &listener).await;
    };
    let config = tls.read().unwrap_or_else(PoisonError::into_inner).clone();
    // Boxed: its memory is freed after the handshake, and a connection without TLS needs none.
    let handshake = Box::pin(connection.unless_closed(handshake(stream, config)));
    if let Some(Some((stream, tls))) = handshake.await {
        serve_http::<C, S>(stream, (peer, Some(tls)), connection, &listener).await;
    }
}

/// Returns the encrypted stream, if the handshake succeeds in time. Its failure is not logged, because the client
/// knows the reason.
async fn handshake(
    stream: TcpStream,
    config: Arc<ServerConfig>,
) -> Option<(Box<TlsStream<HandshakeLimit<TcpStream>>>, Arc<TlsInfo>)> {
    let stream = HandshakeLimit::new(stream, MAX_HANDSHAKE_BYTES);
    // Encrypted bytes that wait for the client are not counted in a budget.
    let limit = |tls: &mut ServerConnection| tls.set_buffer_limit(Some(TLS_BUFFER_BYTES));
    let handshake = TlsAcceptor::from(config).accept_with(stream, limit);
    let handshake = tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake).await;
    let mut stream = Box::new(handshake.ok()?.ok()?);
    let (socket, tls) = stream.get_mut();
    socket.end();
    let tls = Arc::new(TlsInfo::of(tls));
    Some((stream, tls))
}

/// Returns how many requests a new HTTP/2 connection may have at the same time.
fn streams(connections: usize) -> u32 {
    let connections = u32::try_from(connections).unwrap_or(u32::MAX).max(1);
    (MAX_STREAMS_OF_ALL / connections).clamp(MIN_STREAMS, MAX_STREAMS)
}

/// Makes the operating system send small writes at once, and end a connection whose client reads nothing,
/// even if too little data is pending for the limits of this process.
fn prepare(stream: &TcpStream, stall: Duration) {
    // Both options only save resources, so a failure is ignored.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    {
        let milliseconds = u32::try_from(stall.as_millis()).unwrap_or(u32::MAX);
        let _ = rustix::net::sockopt::set_tcp_user_timeout(stream, milliseconds);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stall;
}

/// Serves HTTP/1.1 or HTTP/2, depending on the first bytes that the client sends.
async fn serve_http<C, S>(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    (peer, tls): (SocketAddr, Option<Arc<TlsInfo>>),
    connection: Connection,
    listener: &ListenerState<S>,
) where
    C: Contract<Context = Context<S>>,
    S: State,
{
    let contexts = &listener.contexts;
    let (handle, own) = (connection.handle(), connection.handle());
    let streams = streams(listener.connections.open_now());
    let service = service_fn(move |request: Request<Incoming>| {
        let (contexts, tls) = (contexts.clone(), tls.clone());
        let (version, cost) = (request.version(), Cost::of(request.headers()));
        let is_pipelined = handle.note_request(version);
        let activity = handle.begin_request();
        let span = pipeline::span(request.headers());
        // The future is boxed, so that an idle connection does not need memory for it: hyper reserves the
        // space for the future of a request as long as the connection is open.
        let mut response = Box::pin(
            async move {
                if is_pipelined {
                    // Lets the requests of other connections run first.
                    yield_now().await;
                }
                let request = (request.map(Body::wrap), cost);
                let peer = (peer, tls.as_deref());
                let response =
                    pipeline::handle_request::<C, S>(&contexts, request, peer, &activity);
                Ok::<_, Infallible>(response.await)
            }
            .instrument(span),
        );
        // hyper polls an HTTP/2 request in a task of its own. Until the task runs, no budget counts the
        // request. If there are many connections or if the request is large, it is counted before that.
        if version == Version::HTTP_2
            && (cost.is_large() || streams < MAX_STREAMS)
            && let Some(response) = response.as_mut().now_or_never()
        {
            return Either::Left(ready(response));
        }
        Either::Right(response)
    });
    let tasks = Arc::default();
    let mut builder = Builder::new(Tasks(Arc::downgrade(&tasks)));
    // `Connections::end_stalled` ends connections whose head does not arrive. hyper would set and clear a
    // timer for each request instead.
    builder
        .http1()
        .header_read_timeout(None)
        .max_buf_size(MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(streams)
        .max_header_list_size(MAX_HEAD_BYTES as u32)
        .max_send_buf_size(STREAM_WINDOW as usize)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .initial_stream_window_size(STREAM_WINDOW)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PONG_TIMEOUT);
    let stream = TokioIo::new(Stream::new(stream, connection));
    let mut served = pin!(builder.serve_connection_with_upgrades(stream, service));
    let mut is_shutting_down = false;
    poll_fn(|task| {
        use crate::connections::Command;
        match own.command(task) {
            Command::Close => return Poll::Ready(()),
            Command::ShutDown if !is_shutting_down => {
                is_shutting_down = true;
                served.as_mut().graceful_shutdown();
            }
            Command::ShutDown | Command::GoOn => {}
        }
        own.begin_turn();
        // An error ends the connection; if a response was possible, hyper has sent one.
        served.as_mut().poll(task).map(|_ended| ())
    })
    .await;
}

/// Runs the streams of an HTTP/2 connection. The streams end with the connection, because only the connection
/// owns the tasks: hyper keeps a copy of this executor in each stream.
#[derive(Clone)]
struct Tasks(Weak<Mutex<JoinSet<()>>>);

impl<F> Executor<F> for Tasks
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, stream: F) {
        let Some(tasks) = self.0.upgrade() else {
            return;
        };
        let mut tasks = lock(&tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(stream);
    }
}
