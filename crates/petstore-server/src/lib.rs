//! The pet store service as a library: its handlers, its API keys and its settings. It is built on
//! [`openapi_dropshot_server`]. The program in the same crate adds the command line.
//!
//! ```
//! use openapi_dropshot_server::Setup;
//! use petstore_server::{INFO, PetStore, keys};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = petstore_store::open(&"sqlite::memory:".parse()?).await?;
//! let (key, new_key) = keys::make(keys::KeyName::first(), chrono::Utc::now());
//! store.create_key(new_key).await?;
//! let server = petstore_server::bind(Setup::new(&INFO, PetStore::new(store)))?.start();
//! println!("http://{}/v1/pets accepts {}", server.address(), key.reveal());
//! # Ok(())
//! # }
//! ```

// Every request must pass through the middleware pipeline: clippy.toml forbids the types that would
// register a route outside of it.
#![deny(clippy::disallowed_types)]

pub mod config;
pub mod keys;
pub mod usage;

mod service;
mod state;
mod store_metrics;
mod webhooks;

pub use petstore_api::{OPERATIONS, OperationId};
pub use state::{Caller, PetStore};
pub use webhooks::Webhooks;

use openapi_dropshot_server::{Bound, ServiceInfo, Setup, StartError, service_info};

/// The API with the handlers of this crate.
pub type Api = petstore_api::Generated<service::Service>;

/// The names of the service.
pub static INFO: ServiceInfo = service_info!("petstore", VERSION);

/// The version of this build. A build between two releases can add the commit to it.
const VERSION: &str = match option_env!("PETSTORE_BUILD_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// Binds the address of a pet store server.
///
/// # Errors
///
/// Returns an error if the address is not available. No other failure is expected.
pub fn bind(setup: Setup<PetStore>) -> Result<Bound<PetStore>, StartError> {
    Bound::bind::<Api>(setup)
}
