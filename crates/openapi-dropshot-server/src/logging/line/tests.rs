//! Tests the lines of the log, as text and as JSON.

use super::super::fields::{FIELD, LINE, MESSAGE};
use super::*;
use crate::info::TEST;
use serde_json::{Value, json};
use std::io;
use std::sync::{Arc, Mutex};
use tracing_subscriber::layer::SubscriberExt as _;

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no writer panics").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written_by(format: LogFormat, log: impl FnOnce()) -> String {
    let written = Written::default();
    let sink = Sink::to(written.clone());
    let subscriber = tracing_subscriber::registry().with(Lines::new(&TEST, format, &sink));
    tracing::subscriber::with_default(subscriber, log);
    sink.write_out();
    let bytes = written.0.lock().expect("no writer panics").clone();
    String::from_utf8(bytes).expect("text")
}

fn an_event() {
    let _span =
        tracing::error_span!(target: "openapi_dropshot_server::request", "request", trace_id = "4b").entered();
    let none: Option<&str> = None;
    tracing::warn!(
        target: "openapi_dropshot_server::x",
        status = 404_u16,
        route = "/v1/items",
        less = -1,
        half = 0.5,
        nan = f64::NAN,
        done = true,
        none,
        debug = ?Some("a"),
        "said \"so\"\nand \u{1b}[31mmore"
    );
}

#[test]
fn an_event_in_text_format_is_one_line() {
    let text = written_by(LogFormat::Text, an_event);
    let (time, rest) = text.split_once(' ').expect("a time");
    assert!(DateTime::parse_from_rfc3339(time).is_ok(), "{time}");
    assert_eq!(
        rest,
        " WARN shop_server::x: said \"so\"\\nand \\u{1b}[31mmore status=404 route=\"/v1/items\" \
         less=-1 half=0.5 nan=NaN done=true debug=Some(\"a\") trace_id=\"4b\"\n"
    );
}

#[test]
fn an_event_in_json_format_is_one_object() {
    let text = written_by(LogFormat::Json, an_event);
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    let mut line: Value = serde_json::from_str(&text).expect("JSON");
    let time = line["timestamp"].take();
    assert!(
        time.as_str()
            .is_some_and(|time| DateTime::parse_from_rfc3339(time).is_ok())
    );
    assert_eq!(
        line,
        json!({
            "timestamp": null, "level": "WARN", "target": "shop_server::x",
            "message": "said \"so\"\nand \u{1b}[31mmore", "status": 404, "route": "/v1/items",
            "less": -1, "half": 0.5, "nan": "NaN", "done": true, "debug": "Some(\"a\")",
            "trace_id": "4b",
        })
    );
}

#[test]
fn a_log_field_named_message_is_written_like_any_other() {
    for message in ["request completed", "said \"so\"\nand \u{1b}[31mmore"] {
        for format in [LogFormat::Text, LogFormat::Json] {
            let without_time = |text: String| {
                let (_, rest) = text.split_once('Z').expect("a time");
                rest.to_owned()
            };
            let field = written_by(format, || tracing::info!(message, status = 200_u16));
            let formatted = written_by(format, || tracing::info!(status = 200_u16, "{message}"));
            assert_eq!(without_time(field), without_time(formatted));
        }
    }
}

/// Both formats, each with the lines that a function logs.
fn in_both_formats(log: impl Fn()) -> [(LogFormat, String); 2] {
    [LogFormat::Text, LogFormat::Json].map(|format| (format, written_by(format, &log)))
}

#[test]
fn a_long_value_is_cut_and_the_line_says_how_much_is_missing() {
    let long = "A".repeat(390_000);
    let lines = in_both_formats(|| {
        tracing::info!(method = long.as_str(), debug = ?long, status = 405, "{long}");
    });
    for (format, line) in lines {
        assert!(line.len() < 8000, "{}", line.len());
        for more in [390_000 - FIELD, 390_002 - FIELD, 390_000 - MESSAGE] {
            let marker = format!("A...[{more} more bytes]");
            assert!(line.contains(&marker), "{marker}: {line}");
        }
        assert!(line.contains("status"), "{line}");
        if format == LogFormat::Json {
            let line: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(line["status"], 405);
        }
    }
}

#[test]
fn a_value_is_never_cut_within_a_character_or_an_escape() {
    let long = "\u{1b}é\u{1f600}\"".repeat(200);
    for (format, line) in in_both_formats(|| tracing::info!(x = long.as_str())) {
        let more = long.len() - long.floor_char_boundary(FIELD);
        assert!(
            line.contains(&format!("...[{more} more bytes]\"")),
            "{line}"
        );
        if format == LogFormat::Json {
            let line: Value = serde_json::from_str(&line).expect("JSON");
            let value = line["x"].as_str().expect("text");
            assert!(value.starts_with(&long[..long.floor_char_boundary(FIELD)]));
        }
    }
}

#[test]
fn a_log_line_that_reaches_the_maximum_length_says_how_many_fields_were_omitted() {
    let long = "\u{1}".repeat(FIELD);
    let x = long.as_str();
    let lines = in_both_formats(|| {
        let _span = tracing::error_span!(
            target: "openapi_dropshot_server::request", "request", long = x, trace_id = "4b"
        )
        .entered();
        tracing::info!(a = x, b = x, c = x, last = 7, "said");
    });
    for (format, line) in lines {
        assert!(line.len() < LINE + 64, "{}", line.len());
        assert!(line.contains("last") && line.contains("said"), "{line}");
        match format {
            LogFormat::Text => assert!(line.contains(" fields_left_out="), "{line}"),
            LogFormat::Json => {
                let line: Value = serde_json::from_str(&line).expect("JSON");
                // Two fields of the event, and the fields of the span.
                assert_eq!(line["fields_left_out"], 3, "{line}");
            }
        }
    }
}

#[test]
fn the_time_of_a_log_line_is_correct_when_the_second_changes() {
    let mut line = String::new();
    for seconds in [0, 0, 1, 86_400] {
        push_time(&mut line, Duration::new(seconds, 7_000));
        line.push(' ');
    }
    assert_eq!(
        line,
        "1970-01-01T00:00:00.000007Z 1970-01-01T00:00:00.000007Z \
         1970-01-01T00:00:01.000007Z 1970-01-02T00:00:00.000007Z "
    );
}
