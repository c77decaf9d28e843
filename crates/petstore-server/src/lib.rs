//! The pet store service as a library: a [`Server`] that answers over HTTP from
//! a [`Store`](petstore_store::Store), its [settings](config), and the
//! [keys] that open it. The command line, the log and the signals that
//! stop it are left to the binary beside it.
//!
//! Every request enters by one door, and every answer leaves by it: read
//! `door/mod.rs` first. What an operation does is in `service/`.

pub mod admin;
pub mod clock;
pub mod config;
pub mod keys;
pub mod metrics;
pub mod open_files;
pub mod panics;
pub mod readiness;
pub mod tls;

mod api;
mod app;
mod docs;
mod document;
mod door;
mod rate_limit;
mod server;
mod service;
mod slog_bridge;
mod usage;

/// The operations of the contract: what there is to serve.
pub use openapi_dropshot_types::Operation;
pub use petstore_api::{OPERATIONS, OperationId};
pub use server::{Bound, Server, Setup, StartError, Stopped};
