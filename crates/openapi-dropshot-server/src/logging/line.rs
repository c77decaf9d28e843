//! Formats an event of the log as one line of text or JSON, whatever its fields contain. The
//! formatter of tracing-subscriber takes five times as long. This matters because the service logs
//! each request.

use super::{THIS_CRATE, fields::Fields, sink::Sink};
use crate::{ServiceInfo, config::LogFormat};
use chrono::{DateTime, Utc};
use std::{
    cell::Cell,
    time::{Duration, SystemTime},
};
use tracing::{
    Event, Subscriber,
    span::{Attributes, Id},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

/// Writes a line for every event.
pub(super) struct Lines {
    info: &'static ServiceInfo,
    format: LogFormat,
    sink: Sink,
}

impl Lines {
    pub(super) fn new(info: &'static ServiceInfo, format: LogFormat, sink: &Sink) -> Self {
        let sink = sink.clone();
        Lines { info, format, sink }
    }

    /// Whether the fields of a span appear in the lines inside it.
    fn shows_span(&self, target: &str) -> bool {
        target.starts_with(THIS_CRATE) || target.starts_with(self.info.name)
    }
}

/// The fields of a span, formatted for a line, and the number of omitted fields.
struct SpanFields(String, usize);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Lines {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if !self.shows_span(attributes.metadata().target()) {
            return;
        }
        let mut line = String::new();
        let mut fields = Fields::of(self.format, &mut line);
        attributes.record(&mut fields);
        let left_out = fields.left_out;
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(SpanFields(line, left_out));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        thread_local! {
            /// A buffer that this thread keeps for its next line.
            static LINE: Cell<String> = const { Cell::new(String::new()) };
        }
        let mut line = LINE.try_with(Cell::take).unwrap_or_default();
        line.clear();
        self.begin(&mut line, event);
        let mut fields = Fields::of(self.format, &mut line);
        event.record(&mut fields);
        for span in context.event_scope(event).into_iter().flatten() {
            if let Some(SpanFields(text, left_out)) = span.extensions().get() {
                fields.of_span(text, *left_out);
            }
        }
        fields.end();
        self.sink.push(line.as_bytes());
        let _kept = LINE.try_with(|kept| kept.set(line));
    }
}

impl Lines {
    fn begin(&self, line: &mut String, event: &Event<'_>) {
        let (level, target) = (event.metadata().level().as_str(), event.metadata().target());
        let (own, target) = match target.strip_prefix(THIS_CRATE) {
            Some(module) => (self.info.crate_name, module),
            None => ("", target),
        };
        // A time before 1970 is impossible here.
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        match self.format {
            LogFormat::Text => {
                push_time(line, now);
                // The levels are padded to the same width.
                line.push_str(if level.len() < 5 { "  " } else { " " });
                line.push_str(level);
                line.push(' ');
                line.push_str(own);
                line.push_str(target);
                line.push(':');
            }
            LogFormat::Json => {
                line.push_str("{\"timestamp\":\"");
                push_time(line, now);
                line.push_str("\",\"level\":\"");
                line.push_str(level);
                line.push_str("\",\"target\":\"");
                line.push_str(own);
                line.push_str(target);
                line.push('"');
            }
        }
    }
}

/// Formats a time since 1970 according to RFC 3339, with microseconds. The part up to the second is
/// formatted once per second, because it costs more than the rest of the line.
fn push_time(line: &mut String, now: Duration) {
    thread_local! {
        static SECOND: Cell<(u64, String)> = const { Cell::new((0, String::new())) };
    }
    let (mut second, mut text) = SECOND.try_with(Cell::take).unwrap_or_default();
    if second != now.as_secs() || text.is_empty() {
        second = now.as_secs();
        let time = DateTime::<Utc>::from(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
        text = time.format("%Y-%m-%dT%H:%M:%S").to_string();
    }
    line.push_str(&text);
    // Adding a power of ten keeps the leading zeros.
    let mut digits = itoa::Buffer::new();
    line.push('.');
    line.push_str(&digits.format(1_000_000 + now.subsec_micros())[1..]);
    line.push('Z');
    let _kept = SECOND.try_with(|kept| kept.set((second, text)));
}

#[cfg(test)]
mod tests;
