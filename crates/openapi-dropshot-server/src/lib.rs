//! Runs a spec-first service on dropshot: middleware pipeline, configuration, logs, metrics,
//! TLS and shutdown.
//!
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

/// Compiles the examples of the guide.
#[cfg(doctest)]
#[doc = include_str!("../docs/security.md")]
struct SecurityGuide;

pub mod admin;
pub mod clock;
pub mod config;
pub mod feed;
pub mod health;
pub mod idempotency;
pub mod keys;
pub mod logging;
pub mod metrics;
pub mod mock;
pub mod open_files;
pub mod permissions;
pub mod program;
pub mod readiness;
pub mod state;
pub mod tls;
pub mod usage_report;

mod access;
mod config_error;
mod connections;
mod docs;
mod document;
mod ended_request;
mod info;
mod listener;
mod lock;
mod permits;
mod pipeline;
mod principals;
mod rate_limit;
mod server;
mod setup;
mod slog_bridge;
#[cfg(test)]
mod test_contract;
mod usage;

pub use info::ServiceInfo;
pub use openapi_dropshot_types::{
    Condition, Contract, Deprecation, ErrorEntry, IdempotencyFailure, Operation, RequiredScheme,
    SchemeKind, Security, SecurityScheme, Stability, StateFailure,
};
pub use pipeline::{Context, RouteError, Waiting};
pub use server::{Bound, Server, StartError, Stopped};
pub use setup::Setup;
pub use state::State;
