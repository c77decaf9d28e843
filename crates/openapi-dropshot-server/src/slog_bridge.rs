//! Passes the records of dropshot, which logs through `slog`, to `tracing` under the target
//! `dropshot`, with their key-value pairs as fields. A request to which dropshot itself
//! responds never reaches the pipeline, so its access log line is made from its record here.

use crate::{
    access::{EndedRequest, RejectedLines},
    metrics::Metrics,
};
use http::Method;
use slog::{KV, Logger, OwnedKVList, Record, Serializer};
use std::{
    collections::HashMap, fmt, fmt::Write as _, panic::AssertUnwindSafe, sync::Arc, time::Duration,
};
use tracing::Level;

/// The message of dropshot at the end of every request.
const COMPLETED: &str = "request completed";
/// The field that it adds if the response is its own error.
const OWN_ERROR: &str = "error_message_external";

/// A logger whose records go to `tracing`, and the responses of dropshot's own to the metrics.
pub(crate) fn logger(metrics: Option<Arc<Metrics>>, rejected: Arc<RejectedLines>) -> Logger {
    // A panic in the middle of counting leaves counts that are right, or one
    // less.
    let metrics = AssertUnwindSafe(metrics);
    Logger::root(ToTracing { metrics, rejected }, slog::o!())
}

struct ToTracing {
    metrics: AssertUnwindSafe<Option<Arc<Metrics>>>,
    rejected: Arc<RejectedLines>,
}

impl slog::Drain for ToTracing {
    type Ok = ();
    type Err = slog::Never;

    /// Asks for the level before anything is formatted: most records of
    /// dropshot are made for every request and filtered out.
    fn log(&self, record: &Record<'_>, values: &OwnedKVList) -> Result<(), slog::Never> {
        macro_rules! pass_on {
            ($level:expr) => {
                if tracing::enabled!(target: "dropshot", $level) {
                    let pairs = Pairs::of(record, values);
                    tracing::event!(
                        target: "dropshot",
                        $level,
                        local_addr = pairs.text("local_addr"),
                        remote_addr = pairs.text("remote_addr"),
                        req_id = pairs.text("req_id"),
                        method = pairs.text("method"),
                        response_code = pairs.number("response_code"),
                        latency_us = pairs.number("latency_us"),
                        error = pairs.text("error"),
                        error_message_internal = pairs.text("error_message_internal"),
                        error_message_external = pairs.text(OWN_ERROR),
                        "{}{}",
                        record.msg(),
                        pairs.others,
                    );
                }
            };
        }
        if record.msg().as_str() == Some(COMPLETED) && has_own_error(record) {
            self.account(&Pairs::of(record, values));
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

impl ToTracing {
    /// The pipeline never responds with an error of dropshot's, so this is a request that it did
    /// not see.
    fn account(&self, pairs: &Pairs) {
        let method = pairs.text("method").unwrap_or_default();
        let status = pairs.number("response_code").map(u16::try_from);
        let (Ok(method), Some(Ok(status))) = (Method::from_bytes(method.as_bytes()), status) else {
            return;
        };
        EndedRequest {
            message: "answered by dropshot",
            request_id: pairs.text("req_id").unwrap_or_default(),
            method: &method,
            route: None,
            operation: None,
            status: Some(status),
            code: None,
            key_id: None,
            took: Duration::from_micros(pairs.number("latency_us").unwrap_or_default()),
        }
        .record(self.metrics.as_deref(), &self.rejected);
    }
}

/// Looks at the names only: this is asked at the end of every request.
fn has_own_error(record: &Record<'_>) -> bool {
    struct Names(bool);

    impl Serializer for Names {
        fn emit_arguments(&mut self, key: slog::Key, _: &fmt::Arguments<'_>) -> slog::Result {
            self.0 |= key.as_ref() == OWN_ERROR;
            Ok(())
        }
    }

    let mut names = Names(false);
    record.kv().serialize(record, &mut names).is_ok() && names.0
}

/// The names of the pairs that become fields: `tracing` needs to know them at compile time.
/// These are the names that dropshot 0.18 uses.
const FIELDS: [&str; 9] = [
    "local_addr",
    "remote_addr",
    "req_id",
    "method",
    "response_code",
    "latency_us",
    "error",
    "error_message_internal",
    OWN_ERROR,
];

/// The pairs of a record.
#[derive(Default)]
struct Pairs {
    fields: HashMap<&'static str, String>,
    /// The pairs with another name, as text that is appended to the message.
    others: String,
}

impl Pairs {
    fn of(record: &Record<'_>, values: &OwnedKVList) -> Self {
        let mut pairs = Pairs::default();
        // Nothing here fails, and a pair that cannot be written is no reason to
        // lose the others.
        let _ = record.kv().serialize(record, &mut pairs);
        let _ = values.serialize(record, &mut pairs);
        pairs
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }
}

impl Serializer for Pairs {
    fn emit_arguments(&mut self, key: slog::Key, value: &fmt::Arguments<'_>) -> slog::Result {
        let key: &str = key.as_ref();
        // The URI is left out, because a client may have put something into it that does not
        // belong in a log, such as its key.
        if let Some(name) = FIELDS.into_iter().find(|name| *name == key) {
            self.fields.insert(name, value.to_string());
        } else if key != "uri" {
            write!(self.others, " {key}={value}")?;
        }
        Ok(())
    }

    fn emit_none(&mut self, _: slog::Key) -> slog::Result {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Rate;
    use std::sync::Mutex;
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

    /// The lines in JSON.
    fn written_by(log: impl FnOnce(&Logger)) -> Vec<serde_json::Value> {
        let written = Written::default();
        let writer = written.clone();
        let layer = tracing_subscriber::fmt::layer().json().flatten_event(true);
        let subscriber = tracing_subscriber::registry()
            .with(
                Targets::new()
                    .with_target("dropshot", Level::WARN)
                    .with_target(env!("CARGO_CRATE_NAME"), Level::INFO),
            )
            .with(layer.with_writer(move || writer.clone()));
        let rejected = RejectedLines::start(Rate::Off);
        tracing::subscriber::with_default(subscriber, || log(&logger(None, rejected)));
        let bytes = written.0.lock().expect("no writer panics").clone();
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        lines
            .map(|line| serde_json::from_slice(line).expect("JSON"))
            .collect()
    }

    #[test]
    fn a_record_keeps_its_level_and_each_pair_is_a_member() {
        let lines = written_by(|log| {
            let log = log.new(slog::o!("remote_addr" => "127.0.0.1:5", "depth" => 3));
            slog::warn!(log, "accept error"; "error" => "too many", "response_code" => 400_u16);
        });
        let [line] = &*lines else { panic!("{lines:?}") };
        assert_eq!(line["level"], "WARN");
        assert_eq!(line["target"], "dropshot");
        assert_eq!(line["message"], "accept error depth=3");
        assert_eq!(line["error"], "too many");
        assert_eq!(line["remote_addr"], "127.0.0.1:5");
        assert_eq!(line["response_code"], 400);
        assert_eq!(line.get("method"), None, "{line}");
    }

    #[test]
    fn a_record_below_the_level_is_left_out() {
        let lines = written_by(|log| slog::info!(log, "request completed"; "latency_us" => 3));
        assert_eq!(lines, [] as [serde_json::Value; 0]);
    }

    #[test]
    fn the_address_of_a_request_is_left_out() {
        let lines = written_by(|log| slog::warn!(log, "cancelled"; "uri" => "/?key=shop_secret"));
        assert_eq!(lines[0]["message"], "cancelled");
        assert!(!lines[0].to_string().contains("secret"), "{lines:?}");
    }

    #[test]
    fn a_response_of_dropshot_itself_leaves_a_line_in_the_access_log() {
        let lines = written_by(|log| {
            let log = log.new(slog::o!("req_id" => "an-id", "method" => "PURGE"));
            slog::info!(log, "request completed"; "response_code" => 405_u16, "latency_us" => 7_u128,
                "error_message_internal" => "PURGE /secret", "error_message_external" => "no");
        });
        let [line] = &*lines else { panic!("{lines:?}") };
        assert_eq!(line["target"], crate::logging::ACCESS);
        assert_eq!(line["request_id"], "an-id");
        assert_eq!(line["method"], "PURGE");
        assert_eq!(line["status"], 405);
        assert_eq!(line["duration_us"], 7);
        assert!(!line.to_string().contains("secret"), "{line}");
    }
}
