//! The admin listener: health and metrics. It serves no operation of the API, requires no key,
//! and must not be reachable by clients.

mod response;

use crate::{config::AdminListen, metrics::Metrics, readiness::Readiness, state::State};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::{
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

/// Connections at once; a further one waits.
const CONNECTIONS: usize = 64;
/// How long the head of a request may take to arrive.
const HEAD: Duration = Duration::from_secs(5);
/// How long a connection may take in all; it serves one request.
const CONNECTION: Duration = Duration::from_secs(15);
/// The pause after a connection could not be accepted because of too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// The server that the listener reports on.
pub struct Subject<S> {
    /// The phase of the server.
    pub readiness: Arc<Readiness>,
    /// The state of the service, which has to respond too.
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

/// A listener that is bound to its address, but does not respond yet: connections wait.
pub struct Bound {
    listener: StdListener,
    address: SocketAddr,
}

/// A listener that responds until it is dropped.
pub struct Admin {
    address: SocketAddr,
    _accepting: JoinSet<()>,
}

impl Bound {
    /// Takes the address, or none where the listener is switched off.
    ///
    /// # Errors
    ///
    /// The address is taken, not allowed, or not of this machine.
    pub fn bind(listen: AdminListen) -> Result<Option<Self>, CannotListen> {
        let AdminListen::At(address) = listen else {
            return Ok(None);
        };
        let bind = || {
            let listener = StdListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok(Bound { listener, address })
        };
        bind()
            .map(Some)
            .map_err(|source| CannotListen { address, source })
    }

    /// Begins to respond. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// The runtime cannot take the socket.
    pub fn start<S: State>(self, subject: Subject<S>) -> io::Result<Admin> {
        let listener = TcpListener::from_std(self.listener)?;
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, Arc::new(subject)));
        Ok(Admin {
            address: self.address,
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
                    // A client that is too slow is cut off.
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
        async move { Ok::<_, Infallible>(response::respond(&request, &subject).await) }
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
