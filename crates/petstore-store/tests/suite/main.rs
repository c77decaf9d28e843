//! The tests of the store. `contract` runs the same tests on every database;
//! `sqlite` and `postgres` test the properties of one database.

mod contract;
mod postgres;
mod sqlite;

use petstore_test_support::{fixtures, postgres as postgres_server, samples};
