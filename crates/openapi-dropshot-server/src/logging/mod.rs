//! Writes the log: one line for each event on stderr, as text or as JSON. The target of the lines of
//! this crate is the name of the service's crate; the setting `log` uses the same names.

mod fields;
mod line;
#[cfg(feature = "otlp")]
mod otlp;
mod sink;

use crate::{
    ServiceInfo,
    config::{Log, Switch},
};
pub(crate) use fields::cut;
use line::Lines;
use sink::Sink;
use std::sync::OnceLock;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{
    filter::Targets,
    layer::SubscriberExt as _,
    util::{SubscriberInitExt as _, TryInitError},
};

/// The target of dropshot's lines; dropshot logs one for each request.
const DROPSHOT: &str = "dropshot";
/// The target of the lines about HTTP/2 frames.
const H2: &str = "h2";
/// The crate whose lines appear under the name of the service.
const THIS_CRATE: &str = env!("CARGO_CRATE_NAME");
/// The target of the line that each request gets in the access log.
pub(crate) const ACCESS: &str = concat!(env!("CARGO_CRATE_NAME"), "::access");
/// The target of the lines with the number of requests that were not logged individually.
pub(crate) const SAMPLED: &str = concat!(env!("CARGO_CRATE_NAME"), "::access::sampled");
/// The target of a request that has no line of its own. The request is still exported as a span.
pub(crate) const UNLOGGED: &str = concat!(env!("CARGO_CRATE_NAME"), "::access::unlogged");
/// The target of the span of a request.
pub(crate) const REQUEST: &str = concat!(env!("CARGO_CRATE_NAME"), "::request");

static SINK: OnceLock<Sink> = OnceLock::new();
#[cfg(feature = "otlp")]
static EXPORTER: OnceLock<otlp::Exporter> = OnceLock::new();

/// Starts logging. A second call has no effect.
pub fn init(info: &'static ServiceInfo, log: &Log) {
    init_with(info, log, Switch::On);
}

/// Starts logging as [`init`] does, with or without a line for every request.
pub fn init_with(info: &'static ServiceInfo, log: &Log, access_log: Switch) {
    let mut targets = with_this_crate(log.log.targets(), info);
    // The access log already has a line for each request, and a client can make h2 log warnings on
    // each connection.
    for (library, level) in [(DROPSHOT, LevelFilter::WARN), (H2, LevelFilter::ERROR)] {
        let named = targets.iter().any(|(target, _)| target == library);
        if !named && targets.default_level() == Some(LevelFilter::INFO) {
            targets = targets.with_target(library, level);
        }
    }
    if !access_log.is_on() {
        targets = targets.with_target(ACCESS, LevelFilter::OFF);
    }
    let targets = targets.with_target(UNLOGGED, LevelFilter::OFF);
    let lines = Lines::new(info, log.log_format, SINK.get_or_init(Sink::to_stderr));
    if begin(info, lines, targets).is_ok() {
        log_panics();
    }
}

/// Returns the same filter, changed so that it treats this crate as a module of the service's crate.
fn with_this_crate(targets: &Targets, info: &ServiceInfo) -> Targets {
    let mut all = targets.clone();
    for (target, level) in targets.iter() {
        // A filter matches each target that begins with its text.
        if let Some(module) = target.strip_prefix(info.crate_name) {
            all = all.with_target(format!("{THIS_CRATE}{module}"), level);
        } else if info.crate_name.starts_with(target) {
            all = all.with_target(THIS_CRATE, level);
        }
    }
    all
}

/// One filter for all layers is faster than one filter for each layer, and there is only one layer.
#[cfg(not(feature = "otlp"))]
fn begin(_: &'static ServiceInfo, lines: Lines, targets: Targets) -> Result<(), TryInitError> {
    tracing_subscriber::registry()
        .with(lines)
        .with(targets)
        .try_init()
}

/// The lines of requests also go to a collector, whether they are logged or not.
#[cfg(feature = "otlp")]
fn begin(info: &'static ServiceInfo, lines: Lines, targets: Targets) -> Result<(), TryInitError> {
    use tracing_subscriber::Layer as _;

    let (exporter, problem) = match otlp::Exporter::from_environment(info) {
        Ok(exporter) => (exporter, None),
        Err(problem) => (None, Some(problem)),
    };
    if let Some(exporter) = &exporter {
        EXPORTER.get_or_init(|| exporter.clone());
    }
    // These are the span of a request and the line at its end.
    let requests = Targets::new()
        .with_target(REQUEST, LevelFilter::ERROR)
        .with_target(ACCESS, LevelFilter::INFO)
        .with_target(SAMPLED, LevelFilter::OFF);
    tracing_subscriber::registry()
        .with(lines.with_filter(targets))
        .with(exporter.map(|exporter| exporter.with_filter(requests)))
        .try_init()?;
    if let Some(problem) = problem {
        tracing::error!("spans are not exported: {problem}");
    }
    Ok(())
}

/// Returns how many lines were lost because they were logged faster than they could be written.
pub fn lost_lines() -> u64 {
    SINK.get().map_or(0, Sink::lost)
}

/// A guard that waits, when it is dropped, until all log lines are written, however `main` ends.
#[derive(Debug)]
pub struct WriteOut;

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

/// Logs every panic of the process as one line with the level `error`, instead of the text that
/// the standard library writes to stderr.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        let message = text.unwrap_or("a value that is not text");
        match panic.location() {
            Some(place) => tracing::error!(%place, "panicked: {message}"),
            None => tracing::error!("panicked: {message}"),
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::TEST;
    use tracing::Level;

    #[test]
    fn a_log_filter_for_the_service_also_applies_to_this_crate() {
        for (setting, access, other) in [
            ("info", true, true),
            ("info,shop_server::access=off", false, true),
            ("warn,shop_server=info", true, true),
            ("warn,shop=info", true, true),
            ("warn,shop_server::usage=info", false, false),
            ("info,other=off", true, true),
        ] {
            let targets = with_this_crate(&setting.parse().expect("a filter"), &TEST);
            assert_eq!(
                targets.would_enable(ACCESS, &Level::INFO),
                access,
                "{setting}"
            );
            let module = concat!(env!("CARGO_CRATE_NAME"), "::server");
            assert_eq!(
                targets.would_enable(module, &Level::INFO),
                other,
                "{setting}"
            );
        }
    }
}
