//! Forwards the records of handlers that log with dropshot's logger (`rqctx.log` of `slog`) to
//! `tracing` under the target `dropshot`.

use slog::{KV, Logger, OwnedKVList, Record, Serializer};
use std::{fmt, fmt::Write as _};
use tracing::Level;

/// A logger whose records go to `tracing`.
pub(crate) fn logger() -> Logger {
    Logger::root(ToTracing, slog::o!())
}

struct ToTracing;

impl slog::Drain for ToTracing {
    type Ok = ();
    type Err = slog::Never;

    /// Checks the level before formatting anything.
    fn log(&self, record: &Record<'_>, values: &OwnedKVList) -> Result<(), slog::Never> {
        macro_rules! pass_on {
            ($level:expr) => {
                if tracing::enabled!(target: "dropshot", $level) {
                    let pairs = Pairs::of(record, values);
                    tracing::event!(target: "dropshot", $level, "{}{}", record.msg(), pairs.0);
                }
            };
        }
        match record.level() {
            slog::Level::Critical | slog::Level::Error => pass_on!(Level::ERROR),
            slog::Level::Warning => pass_on!(Level::WARN),
            slog::Level::Info => pass_on!(Level::INFO),
            slog::Level::Debug => pass_on!(Level::DEBUG),
            slog::Level::Trace => pass_on!(Level::TRACE),
        }
        Ok(())
    }
}

/// The key-value pairs of a record, as text that is appended to its message: `tracing` must know
/// the names of fields at compile time.
#[derive(Default)]
struct Pairs(String);

impl Pairs {
    fn of(record: &Record<'_>, values: &OwnedKVList) -> Self {
        let mut pairs = Pairs::default();
        // Formatting does not fail here, and a pair that cannot be formatted must not prevent the
        // others from being logged.
        let _ = record.kv().serialize(record, &mut pairs);
        let _ = values.serialize(record, &mut pairs);
        pairs
    }
}

impl Serializer for Pairs {
    fn emit_arguments(&mut self, key: slog::Key, value: &fmt::Arguments<'_>) -> slog::Result {
        let key: &str = key.as_ref();
        write!(self.0, " {key}={value}")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::{filter::Targets, layer::SubscriberExt as _};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl std::io::Write for Written {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no writer panics").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_slog_record_that_passes_the_log_filter_keeps_its_level_and_its_key_value_pairs() {
        let written = Written::default();
        let writer = written.clone();
        let layer = tracing_subscriber::fmt::layer().json().flatten_event(true);
        let subscriber = tracing_subscriber::registry()
            .with(Targets::new().with_target("dropshot", Level::WARN))
            .with(layer.with_writer(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, || {
            let log = logger().new(slog::o!("depth" => 3));
            slog::info!(log, "not wanted");
            slog::warn!(log, "the shelf is full"; "shelf" => "A");
        });
        let line: serde_json::Value =
            serde_json::from_slice(&written.0.lock().expect("no writer panics")).expect("one line");
        assert_eq!(line["level"], "WARN");
        assert_eq!(line["target"], "dropshot");
        assert_eq!(line["message"], "the shelf is full shelf=A depth=3");
    }
}
