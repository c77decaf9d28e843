//! The running server: binds, accepts and stops. What happens to a request is
//! left to the door, and when to stop to the caller.

use crate::{
    app::App,
    clock::Clock,
    config::{Limits, SunsetPolicy},
    door::{self, Routes},
    slog_bridge,
};
use dropshot::{ConfigDropshot, HandlerTaskMode, HttpServer, HttpServerStarter, ServerBuilder};
use petstore_store::Store;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// What a server is made of.
pub struct Setup {
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where pets and keys are. It is not closed with the server.
    pub store: Arc<dyn Store>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// How much to take on.
    pub limits: Limits,
    /// What to do at a removal date.
    pub sunset: SunsetPolicy,
}

/// Why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The address is taken, not allowed, or not of this machine.
    #[error("cannot listen on {address}; choose another address or port with `--listen`")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What was wrong.
        source: dropshot::BuildError,
    },
    /// The operations of the contract exclude each other.
    #[error("the routes of the contract cannot be served")]
    Routes(#[from] dropshot::ApiDescriptionBuildErrors),
    /// The routes of the door exclude each other.
    #[error("the door cannot be opened")]
    Door(#[from] dropshot::ApiDescriptionRegisterError),
}

/// A server that has its address, but does not answer yet: who connects
/// waits.
pub struct Bound(HttpServerStarter<App>);

/// A server that answers.
pub struct Server(HttpServer<App>);

/// How a server came to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stopped {
    /// All connections were served to their end.
    Finished,
    /// Some were still open when the grace was over.
    CutOff,
}

impl Bound {
    /// Takes the address. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// The address cannot be had; nothing else is expected to fail.
    pub fn bind(setup: Setup) -> Result<Self, StartError> {
        let config = ConfigDropshot {
            bind_address: setup.listen,
            default_request_body_max_bytes: setup.limits.body_max_bytes.get(),
            // A handler whose client went away has nobody to answer. What it
            // handed to the store is finished there all the same.
            default_handler_task_mode: HandlerTaskMode::CancelOnDisconnect,
            ..ConfigDropshot::default()
        };
        let app = App {
            store: setup.store,
            clock: setup.clock,
            sunset: setup.sunset,
            routes: Routes::new()?,
            permits: semaphore(setup.limits.max_in_flight.get()),
            body_budget: semaphore(setup.limits.body_budget_bytes.get()),
            limits: setup.limits,
        };
        ServerBuilder::new(door::description()?, app, slog_bridge::logger())
            .config(config)
            .build_starter()
            .map(Bound)
            .map_err(|source| StartError::Listen {
                address: setup.listen,
                source,
            })
    }

    /// Begins to answer.
    #[must_use]
    pub fn start(self) -> Server {
        Server(self.0.start())
    }
}

fn semaphore(permits: usize) -> Semaphore {
    Semaphore::new(permits.min(Semaphore::MAX_PERMITS))
}

impl Server {
    /// Where it listens; the real port where 0 was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr()
    }

    /// Takes no more connections and waits for the requests that run, but not
    /// longer than `grace`: dropshot alone would wait for a stalled client
    /// without end.
    pub async fn stop(self, grace: Duration) -> Stopped {
        match tokio::time::timeout(grace, self.0.close()).await {
            Ok(Ok(())) => Stopped::Finished,
            Ok(Err(problem)) => {
                tracing::error!("the server did not stop as it should: {problem}");
                Stopped::Finished
            }
            Err(_) => Stopped::CutOff,
        }
    }
}
