//! Tests the real program over sockets and through its command line. `tests/in_process` tests
//! faults that cannot be caused from outside.

mod admin;
mod backup;
mod bad_input;
mod client;
mod client_orders;
mod config;
mod connections;
mod dashboard;
mod docs;
mod errors;
mod events;
mod idempotency;
mod imports;
mod key_limits;
mod keys;
mod lifecycle;
mod log;
mod metrics;
mod migrate;
mod orders;
mod pets;
mod proxy;
mod start;
mod stop;
mod streams;
mod supervisor;
mod systemd;
mod tls;
#[cfg(feature = "otlp")]
mod traces;
mod usage;
mod webhooks;

use petstore_test_support::{
    haproxy, key_limits as limits, process, raw, scrape, webhooks as receivers,
};
