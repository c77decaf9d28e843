//! The settings and the state of the service. The handlers are in `handlers`. `openapi-dropshot-server` does everything that is
//! the same in every service.

mod handlers;
mod shelf;

pub use handlers::Handlers;

use chrono::{DateTime, Utc};
use openapi_dropshot_server::{
    ServiceInfo, State,
    keys::{KeyFormat, KeyHashes},
    service_info,
    state::{AuthenticationError, Credential, StateError},
};
use shelf::Shelf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The API with the handlers of this crate.
pub type Api = bookmarks_api::Generated<Handlers>;

/// The names of the service.
pub static INFO: ServiceInfo = service_info!("bookmarks");

openapi_dropshot_server::settings! {
    /// Who may use the service.
    Access {
        /// The API keys, as `bookmarks-server key NAME` prints them: `NAME:SHA256`, with `,` between two keys
        keys: KeyHashes = "";
    }
}

/// The format of the API keys.
pub const KEY_FORMAT: KeyFormat = KeyFormat::new("bookmarks_");

/// The state of the service, which each handler reaches with `rqctx.context().state()`.
#[derive(Debug, Default)]
pub struct Service {
    keys: KeyHashes,
    shelf: Mutex<Shelf>,
}

impl Service {
    /// Creates the state of a service that accepts these keys.
    #[must_use]
    pub fn new(keys: KeyHashes) -> Self {
        Service {
            keys,
            ..Service::default()
        }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        // A poisoned lock can be used: no change panics halfway.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State for Service {
    /// The name of an API key.
    type Principal = &'static str;

    fn principal_id(name: &&'static str) -> &'static str {
        name
    }

    async fn authenticate(
        &self,
        credential: Credential<'_, &'static str>,
    ) -> Result<&'static str, AuthenticationError> {
        let key = KEY_FORMAT.parse(credential.secret());
        let key = key.map_err(|_| AuthenticationError::Malformed)?;
        self.keys.find(&key).ok_or(AuthenticationError::Unknown)
    }

    async fn delete_expired_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StateError> {
        Ok(self.shelf().delete_expired(now, limit))
    }
}
