//! Starts and stops the service inside a test.

use crate::{Clock, Fault, relay::Relay};
use chrono::{DateTime, Utc};
use openapi_dropshot_server::{
    Setup,
    config::{Lifecycle, Rate, RateLimit, SunsetPolicy},
};
use petstore_client::Client;
use petstore_server::{
    INFO, OperationId, PetStore,
    keys::{self, KeyName},
};
use petstore_store::DatabaseUrl;
use std::{fmt, num::NonZeroU32, sync::Arc, time::Duration};
use tokio::runtime::Handle;

/// How long a stopping service waits for its running requests.
const GRACE: Duration = Duration::from_secs(1);

/// A pet store service with a store in memory, on a free port of this machine, and with one API
/// key. The service ends when this is dropped; [`stop`](Server::stop) also waits for its end.
///
/// The service runs on the tokio runtime in which it was started. If the application blocks the
/// thread of a test, for example because it uses the client's feature `blocking`, the test needs a
/// runtime with several threads: `#[tokio::test(flavor = "multi_thread")]`.
pub struct Server {
    relay: Relay,
    /// `None` after the server was stopped.
    service: Option<openapi_dropshot_server::Server<PetStore>>,
    runtime: Handle,
    clock: Clock,
    url: String,
    key: String,
    client: Client,
}

/// The configuration of a [`Server`] that will be started.
#[derive(Clone, Debug, Default)]
#[must_use = "a builder does nothing until `start`"]
pub struct Builder {
    at: Option<DateTime<Utc>>,
    sunset: SunsetPolicy,
    rate_limit: RateLimit,
}

/// The reason why a server could not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The store in memory cannot be opened.
    #[error("the store in memory cannot be opened")]
    Store(#[from] petstore_store::OpenError),
    /// The key cannot be stored.
    #[error("the key cannot be written to the store in memory")]
    Key(#[from] petstore_store::StoreError),
    /// The service cannot start.
    #[error("the service cannot start")]
    Service(#[from] openapi_dropshot_server::StartError),
    /// No port is free.
    #[error("no port of this machine is free; end a program that uses ports")]
    Port(#[from] std::io::Error),
    /// The client cannot be created.
    #[error("the client cannot be created")]
    Client(#[from] petstore_client::BuildError),
}

impl Builder {
    /// Starts with this time instead of the time of the machine.
    pub fn at(mut self, time: DateTime<Utc>) -> Self {
        self.at = Some(time);
        self
    }

    /// Makes the service respond with 410 `operation_removed` from the removal date of an operation
    /// on. By default, the operation is still served.
    pub fn enforce_sunsets(mut self) -> Self {
        self.sunset = SunsetPolicy::Enforce;
        self
    }

    /// Allows the key to make `per_second` requests per second on average, and `burst` requests at
    /// once after a pause. Further requests get 429 `rate_limited`. The time is that of
    /// [`Server::clock`].
    pub fn rate_limit(mut self, per_second: NonZeroU32, burst: NonZeroU32) -> Self {
        self.rate_limit = RateLimit {
            rate_limit_per_second: Rate::PerSecond(per_second),
            rate_limit_burst: burst,
        };
        self
    }

    /// Starts the service.
    ///
    /// # Errors
    ///
    /// Returns an error if no port or no memory is available. No other failure is expected.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub async fn start(self) -> Result<Server, StartError> {
        let clock = Clock::starting_at(self.at.unwrap_or_else(Utc::now));
        let store = petstore_store::open(&DatabaseUrl::SqliteMemory).await?;
        let (key, new_key) = keys::make(KeyName::first(), clock.now());
        store.create_key(new_key).await?;
        let service = petstore_server::bind(Setup {
            clock: Arc::new(clock.clone()),
            rate_limit: self.rate_limit,
            lifecycle: Lifecycle {
                sunset: self.sunset,
                ..Lifecycle::default()
            },
            metrics: false,
            ..Setup::new(&INFO, PetStore::new(store))
        })?
        .start();
        let relay = Relay::before(service.address()).await?;
        let url = format!("http://{}/v1", relay.address);
        let key = key.reveal().to_owned();
        let client = Client::builder(&url).api_key(&key).no_proxy().build()?;
        Ok(Server {
            relay,
            service: Some(service),
            runtime: Handle::current(),
            clock,
            url,
            key,
            client,
        })
    }
}

impl Server {
    /// Starts a service with the default settings: the time of the machine, no rate
    /// limit, and deprecated operations that are still served. The documentation of
    /// this crate has an example.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Builder::start`].
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub async fn start() -> Result<Self, StartError> {
        Server::builder().start().await
    }

    /// Returns a builder for a server with other settings.
    ///
    /// ```
    /// use petstore_testing::Server;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder()
    ///     .at("2030-12-04T23:59:00Z".parse()?)
    ///     .enforce_sunsets()
    ///     .start()
    ///     .await?;
    /// // `get_pet` is removed at midnight.
    /// server.clock().set("2030-12-05T00:00:00Z".parse()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns the base URL, such as `http://127.0.0.1:40123/v1`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the API key of the server.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns a client with the default settings. For a client with other settings, pass
    /// [`url`](Server::url) and [`key`](Server::key) to `petstore_client::Client::builder`.
    #[must_use]
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the clock of the service.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Injects a fault from now on.
    ///
    /// ```
    /// use petstore_testing::{Fault, OperationId, Server};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::start().await?;
    /// server.inject(Fault::cut().on(OperationId::ListPets).times(1));
    /// // The client tries again by itself.
    /// server.client().list_pets().send().await?;
    /// assert_eq!(server.received(OperationId::ListPets), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn inject(&self, fault: Fault) {
        self.relay.state().faults.0.push(fault);
    }

    /// Removes all faults.
    pub fn clear_faults(&self) {
        self.relay.state().faults.0.clear();
    }

    /// Returns how many requests for this operation have arrived, including those that a fault
    /// affected: each try of a client counts.
    #[must_use]
    pub fn received(&self, operation: OperationId) -> u64 {
        let received = &self.relay.state().received;
        received.get(&operation).copied().unwrap_or(0)
    }

    /// Ends the service and waits for its end: connections are closed, and its port is free again.
    pub async fn stop(mut self) {
        self.relay.stop().await;
        if let Some(service) = self.service.take() {
            service.stop(GRACE).await;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(service) = self.service.take() {
            // If the runtime has already ended, the service has also ended.
            self.runtime.spawn(service.stop(GRACE));
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("url", &self.url)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
