//! The real program, driven over sockets and by its command line: what an owner
//! and a client see of it. Faults that cannot be provoked from outside are left
//! to `tests/in_process`.

#[path = "../support/process.rs"]
mod process;
#[path = "../support/raw.rs"]
mod raw;
#[path = "../support/scrape.rs"]
mod scrape;

mod admin;
mod bad_input;
mod client;
mod config;
mod connections;
mod dashboard;
mod docs;
mod errors;
mod keys;
mod lifecycle;
mod log;
mod metrics;
mod migrate;
mod pets;
mod proxy;
mod start;
mod stop;
mod supervisor;
mod systemd;
mod tls;
#[cfg(feature = "otlp")]
mod traces;
mod usage;

use std::io::Write as _;

/// Says what is left out and why, for the closing summary: past the capture of
/// the test harness, which `eprintln!` is not.
fn skipped(what: &str) {
    writeln!(std::io::stderr(), "skipped: {what}").expect("standard error can be written");
}
