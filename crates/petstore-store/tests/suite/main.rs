//! The tests of the store: `contract` runs the same tests on every database,
//! `sqlite` and `postgres` test what only one of them has.

mod contract;
#[path = "../support/fixtures.rs"]
mod fixtures;
mod postgres;
#[path = "../support/postgres.rs"]
mod postgres_server;
#[path = "../support/samples.rs"]
mod samples;
mod sqlite;
