//! Tests the real program on a real PostgreSQL server: the same responses as on SQLite, servers
//! that share a database, and databases that are unreachable, hang, or reset a connection.
//! `tests/durability` tests crashes under load, and `tests/failover` tests replicas.

mod commits;
mod connections;
mod cut;
mod dump;
mod encoding;
mod events;
mod gone;
mod hosts;
mod key_limits;
mod migration;
mod orders;
mod relay;
mod responses;
mod rolling;
mod sharing;
mod starting;

use petstore_test_support::{key_limits as limits, postgres, process, raw, scrape};
use postgres::Database;
use process::Service;
use std::sync::Arc;
use tempfile::TempDir;

/// Starts a service on this database, which creates the first key.
fn serve(database: &Database<'_>) -> Service {
    Service::start_with(&["--database", &database.url().to_string()])
}

/// Starts another service on the same database, with the key of the first one.
fn serve_beside(first: &Service, database: &Database<'_>) -> Service {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let url = database.url().to_string();
    let mut service = Service::start_in(folder, &["--database", &url], &[]);
    service.key.clone_from(&first.key);
    service
}

/// Returns how often a pet with this name exists.
fn count_of(service: &Service, name: &str) -> usize {
    let pets = service.pets();
    pets.iter().filter(|pet| pet["name"] == name).count()
}
