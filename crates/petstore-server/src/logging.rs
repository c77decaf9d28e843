//! Where the log goes: stderr, a line an event. What is logged is left to the
//! setting, and to those who have something to say.

use petstore_server::{config::Log, panics};
use std::io;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{fmt, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// dropshot's own words, and what it says of every request.
const DROPSHOT: &str = "dropshot";

/// Begins to log. A second call changes nothing.
pub(crate) fn init(log: &Log) {
    let mut targets = log.log.clone();
    let named = targets.iter().any(|(target, _)| target == DROPSHOT);
    if !named && targets.default_level() == Some(LevelFilter::INFO) {
        // The door writes a line a request already.
        targets = targets.with_target(DROPSHOT, LevelFilter::WARN);
    }
    let lines = fmt::layer().with_writer(io::stderr).with_ansi(false);
    let started = tracing_subscriber::registry()
        .with(lines)
        .with(targets)
        .try_init();
    if started.is_ok() {
        panics::log_panics();
    }
}
