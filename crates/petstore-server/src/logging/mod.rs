//! The log: stderr, a line an event, as text or as JSON. What is logged is left
//! to the setting, and to those who have something to say.

mod line;
#[cfg(feature = "otlp")]
mod otlp;
mod sink;

use line::Lines;
use petstore_server::{
    config::{Log, Switch},
    panics,
};
use sink::Sink;
use std::sync::OnceLock;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    filter::Targets,
    layer::SubscriberExt as _,
    util::{SubscriberInitExt as _, TryInitError},
};

/// dropshot's own words, and what it says of every request.
const DROPSHOT: &str = "dropshot";
/// The line of every request.
const ACCESS: &str = "petstore_server::access";

static SINK: OnceLock<Sink> = OnceLock::new();
#[cfg(feature = "otlp")]
static EXPORTER: OnceLock<otlp::Exporter> = OnceLock::new();

/// Begins to log. A second call changes nothing.
pub(crate) fn init(log: &Log) {
    init_with(log, Switch::On);
}

/// As [`init`], with or without a line for every request.
pub(crate) fn init_with(log: &Log, access_log: Switch) {
    let mut targets = log.log.clone();
    let named = targets.iter().any(|(target, _)| target == DROPSHOT);
    if !named && targets.default_level() == Some(LevelFilter::INFO) {
        // The door writes a line a request already.
        targets = targets.with_target(DROPSHOT, LevelFilter::WARN);
    }
    if !access_log.is_on() {
        targets = targets.with_target(ACCESS, LevelFilter::OFF);
    }
    let lines = Lines::new(log.log_format, SINK.get_or_init(Sink::to_stderr));
    if begin(lines, targets).is_ok() {
        panics::log_panics();
    }
}

/// One filter for all is quicker than one for each, and there is one layer.
#[cfg(not(feature = "otlp"))]
fn begin(lines: Lines, targets: Targets) -> Result<(), TryInitError> {
    tracing_subscriber::registry()
        .with(lines)
        .with(targets)
        .try_init()
}

/// The lines of requests go to a collector too, whether they are logged or not.
#[cfg(feature = "otlp")]
fn begin(lines: Lines, targets: Targets) -> Result<(), TryInitError> {
    use tracing_subscriber::Layer as _;

    let exporter = otlp::Exporter::from_environment();
    if let Some(exporter) = &exporter {
        EXPORTER.get_or_init(|| exporter.clone());
    }
    // The span of a request, and its line at the end.
    let requests = Targets::new()
        .with_target("petstore_server::door::trace", LevelFilter::ERROR)
        .with_target(ACCESS, LevelFilter::INFO);
    tracing_subscriber::registry()
        .with(lines.with_filter(targets))
        .with(exporter.map(|exporter| exporter.with_filter(requests)))
        .try_init()
}

/// How many lines were lost, because more came than could be written.
pub(crate) fn lost_lines() -> u64 {
    SINK.get().map_or(0, Sink::lost)
}

/// Waits until all that was logged is written, on every way out of `main`.
pub(crate) struct WriteOut;

impl Drop for WriteOut {
    fn drop(&mut self) {
        #[cfg(feature = "otlp")]
        if let Some(exporter) = EXPORTER.get() {
            exporter.write_out();
        }
        if let Some(sink) = SINK.get() {
            sink.write_out();
        }
    }
}
