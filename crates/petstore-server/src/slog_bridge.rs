//! dropshot logs through `slog`, everything else through `tracing`: this takes
//! the former into the latter, under the target `dropshot`, with its key-value
//! pairs.

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

    /// Asks for the level before anything is formatted: most records of
    /// dropshot are made for every request and wanted by nobody.
    fn log(&self, record: &Record<'_>, values: &OwnedKVList) -> Result<(), slog::Never> {
        macro_rules! pass_on {
            ($level:expr) => {
                if tracing::enabled!(target: "dropshot", $level) {
                    tracing::event!(target: "dropshot", $level, "{}", line(record, values));
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

/// The message and its pairs.
fn line(record: &Record<'_>, values: &OwnedKVList) -> String {
    let mut line = Line(record.msg().to_string());
    // Writing to a string does not fail, and a pair that cannot be shown is no
    // reason to lose the rest.
    let _ = record.kv().serialize(record, &mut line);
    let _ = values.serialize(record, &mut line);
    line.0
}

struct Line(String);

impl Serializer for Line {
    fn emit_arguments(&mut self, key: slog::Key, value: &fmt::Arguments<'_>) -> slog::Result {
        // The address as it was sent: whatever a client put there by mistake,
        // its key for example, does not belong in a log.
        if key == "uri" {
            return Ok(());
        }
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

    fn written_by(log: impl FnOnce(&Logger)) -> String {
        let written = Written::default();
        let writer = written.clone();
        let subscriber = tracing_subscriber::registry()
            .with(Targets::new().with_target("dropshot", Level::WARN))
            .with(tracing_subscriber::fmt::layer().with_writer(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, || log(&logger()));
        let bytes = written.0.lock().expect("no writer panics").clone();
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn a_record_keeps_its_level_and_its_pairs() {
        let text = written_by(|log| {
            let log = log.new(slog::o!("remote_addr" => "127.0.0.1:5"));
            slog::warn!(log, "accept error"; "error" => "too many");
        });
        for part in [
            "WARN",
            "dropshot",
            "accept error",
            "error=too many",
            "remote_addr=127.0.0.1:5",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn what_nobody_asked_for_is_left_out() {
        assert_eq!(written_by(|log| slog::info!(log, "request completed")), "");
    }

    #[test]
    fn the_address_of_a_request_is_left_out() {
        let text =
            written_by(|log| slog::warn!(log, "cancelled"; "uri" => "/?key=petstore_secret"));
        assert!(
            text.contains("cancelled") && !text.contains("secret"),
            "{text}"
        );
    }
}
