//! Tests the real program on a real PostgreSQL: the same responses as on SQLite,
//! servers that share a database, and databases that are unreachable, hang, or
//! cut a connection. `tests/durability` has crashes under load, `tests/failover`
//! has replicas.

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

/// A service on that database, which makes the first key.
fn serve(database: &Database<'_>) -> Service {
    Service::start_with(&["--database", &database.url().to_string()])
}

/// One more of them, with the key of the first.
fn serve_beside(first: &Service, database: &Database<'_>) -> Service {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let url = database.url().to_string();
    let mut service = Service::start_in(folder, &["--database", &url], &[]);
    service.key.clone_from(&first.key);
    service
}

/// How often a pet of that name is there.
fn count_of(service: &Service, name: &str) -> usize {
    let pets = service.pets();
    pets.iter().filter(|pet| pet["name"] == name).count()
}
