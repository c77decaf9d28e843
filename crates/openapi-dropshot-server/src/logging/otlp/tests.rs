//! Tests the spans that are created for requests.

use super::*;
use crate::info::TEST;
use opentelemetry_sdk::{error::OTelSdkResult, trace::SpanData};
use std::sync::{Arc, Mutex};

/// Keeps the spans that are sent to it.
#[derive(Clone, Debug, Default)]
struct Collector(Arc<Mutex<Vec<SpanData>>>);

impl opentelemetry_sdk::trace::SpanExporter for Collector {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.0.lock().expect("no holder panics").extend(batch);
        Ok(())
    }
}

fn fields<const N: usize>(fields: [(&'static str, Value); N]) -> Fields {
    Fields(HashMap::from(fields))
}

fn sent(request: &Fields, trace: Option<&Fields>, end: SystemTime) -> Vec<SpanData> {
    let collector = Collector::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(collector.clone());
    Exporter::new(&TEST, provider).send(request, trace, end);
    std::mem::take(&mut *collector.0.lock().expect("no holder panics"))
}

fn trace(flags: &'static str) -> Fields {
    fields([
        ("trace_id", "4b".into()),
        ("parent_id", "00f0".into()),
        ("trace_flags", flags.into()),
    ])
}

#[test]
fn a_request_with_a_trace_context_is_exported_as_a_span_of_that_trace() {
    let request = fields([
        ("method", "GET".into()),
        ("route", "/v1/items".into()),
        ("status", 200.into()),
        ("duration_us", 1500.into()),
        ("key_id", "k_1".into()),
        ("message", "request completed".into()),
    ]);
    let end = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    let spans = sent(&request, Some(&trace("01")), end);
    let [span] = &spans[..] else {
        panic!("{spans:?}")
    };
    assert_eq!(span.span_context.trace_id(), TraceId::from(0x4b));
    assert_eq!(span.parent_span_id, SpanId::from(0xf0));
    assert_eq!(
        (&*span.name, &span.span_kind),
        ("GET /v1/items", &SpanKind::Server)
    );
    assert_eq!(span.start_time, end - Duration::from_micros(1500));
    assert_eq!((span.end_time, &span.status), (end, &Status::Unset));
    assert_eq!(
        span.attributes,
        [
            KeyValue::new("http.request.method", "GET"),
            KeyValue::new("http.route", "/v1/items"),
            KeyValue::new("http.response.status_code", 200),
            KeyValue::new("shop.key_id", "k_1"),
        ]
    );
}

#[test]
fn a_request_without_a_trace_starts_a_trace_and_a_server_error_is_marked() {
    let request = fields([("method", "GET".into()), ("status", 503.into())]);
    let spans = sent(&request, None, SystemTime::now());
    assert_ne!(spans[0].span_context.trace_id(), TraceId::INVALID);
    assert_eq!(spans[0].parent_span_id, SpanId::INVALID);
    assert_eq!(
        (&*spans[0].name, &spans[0].status),
        ("GET", &Status::error(""))
    );
}

#[test]
fn a_request_whose_caller_does_not_record_the_trace_is_not_exported() {
    let request = fields([("method", "GET".into()), ("status", 200.into())]);
    assert_eq!(sent(&request, Some(&trace("00")), SystemTime::now()), []);
}
