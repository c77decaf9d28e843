//! Sends a span for every request to an OpenTelemetry collector: OTLP over HTTP, in
//! JSON. The span is made from the line of the access log, even if that line is not
//! written. OpenTelemetry's own variables configure it; without a collector nothing
//! is sent. If the collector is slow or unreachable, spans are lost, but no request
//! waits.

use crate::ServiceInfo;
use serde_json::{Map, Value, json};
use std::{
    env,
    fmt::Debug,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc as std_mpsc,
    },
    thread,
    time::{Duration, SystemTime},
};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout_at},
};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

/// Spans that may wait; further ones are lost.
const QUEUE: usize = 4096;
/// Spans in one message.
const BATCH: usize = 512;
/// How long a message is gathered.
const GATHER: Duration = Duration::from_secs(1);
/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the end waits for the last message.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Takes spans on their way to the collector.
#[derive(Clone)]
pub(super) struct Exporter {
    info: &'static ServiceInfo,
    outbox: mpsc::Sender<Message>,
    lost: Arc<AtomicU64>,
}

enum Message {
    Span(Value),
    Flush(std_mpsc::Sender<()>),
}

/// The data that is sent to a collector.
struct Resource {
    collector: String,
    service: String,
    info: &'static ServiceInfo,
}

impl Exporter {
    /// The exporter, if the environment names a collector.
    pub(super) fn from_environment(info: &'static ServiceInfo) -> Option<Self> {
        let named = |variable| env::var(variable).ok().filter(|value| !value.is_empty());
        let collector = named("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").or_else(|| {
            let base = named("OTEL_EXPORTER_OTLP_ENDPOINT")?;
            Some(format!("{}/v1/traces", base.trim_end_matches('/')))
        })?;
        let service = named("OTEL_SERVICE_NAME").unwrap_or_else(|| info.program.to_owned());
        Some(Self::start(Resource {
            collector,
            service,
            info,
        }))
    }

    fn start(resource: Resource) -> Self {
        let (outbox, inbox) = mpsc::channel(QUEUE);
        let lost = Arc::<AtomicU64>::default();
        let counted = lost.clone();
        let info = resource.info;
        // A thread and a runtime of its own: it still sends when those of the
        // service have ended.
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            match runtime {
                Ok(runtime) => runtime.block_on(export(inbox, &resource, &counted)),
                Err(problem) => tracing::error!("spans are not exported: {problem}"),
            }
        });
        Exporter { info, outbox, lost }
    }

    /// Waits until everything is sent, within bounds.
    pub(super) fn write_out(&self) {
        let (done, wait) = std_mpsc::channel();
        if self.outbox.try_send(Message::Flush(done)).is_ok() {
            // A message that is sent too late is useless.
            let _sent = wait.recv_timeout(LAST_WORDS);
        }
    }
}

async fn export(mut inbox: mpsc::Receiver<Message>, resource: &Resource, lost: &AtomicU64) {
    let client = match reqwest::Client::builder().timeout(PATIENCE).build() {
        Ok(client) => client,
        Err(problem) => return tracing::error!("spans are not exported: {problem}"),
    };
    while let Some(first) = inbox.recv().await {
        let (spans, flush) = gather(first, &mut inbox).await;
        if !spans.is_empty() {
            let count = spans.len();
            if let Err(problem) = send(&client, resource, spans).await {
                tracing::warn!(
                    "{count} spans were lost, the collector did not take them: {problem}"
                );
            }
        }
        match lost.swap(0, Ordering::Relaxed) {
            0 => {}
            count => tracing::warn!("{count} spans were lost, the collector is too slow"),
        }
        if let Some(flush) = flush {
            // The caller may have stopped waiting.
            let _gone = flush.send(());
        }
    }
}

/// Collects the spans of one message: until it is full, its time is over, or the program ends.
async fn gather(
    first: Message,
    inbox: &mut mpsc::Receiver<Message>,
) -> (Vec<Value>, Option<std_mpsc::Sender<()>>) {
    let deadline = Instant::now() + GATHER;
    let mut spans = Vec::new();
    let mut next = Some(first);
    loop {
        match next {
            Some(Message::Span(span)) => spans.push(span),
            Some(Message::Flush(done)) => return (spans, Some(done)),
            None => return (spans, None),
        }
        if spans.len() == BATCH {
            return (spans, None);
        }
        next = timeout_at(deadline, inbox.recv()).await.ok().flatten();
    }
}

async fn send(
    client: &reqwest::Client,
    resource: &Resource,
    spans: Vec<Value>,
) -> reqwest::Result<()> {
    let message = message(resource, spans);
    let request = client.post(&resource.collector).json(&message);
    request.send().await?.error_for_status()?;
    Ok(())
}

fn message(resource: &Resource, spans: Vec<Value>) -> Value {
    json!({"resourceSpans": [{
        "resource": {"attributes": [
            attribute("service.name", &resource.service.as_str().into()),
            attribute("service.version", &resource.info.version.into()),
        ]},
        "scopeSpans": [{"scope": {"name": resource.info.crate_name}, "spans": spans}],
    }]})
}

/// `{"key": …, "value": {"stringValue": …}}`; integers are texts in OTLP.
fn attribute(key: &str, value: &Value) -> Value {
    match value {
        Value::Number(number) => json!({"key": key, "value": {"intValue": number.to_string()}}),
        Value::String(text) => json!({"key": key, "value": {"stringValue": text}}),
        other => json!({"key": key, "value": {"stringValue": other.to_string()}}),
    }
}

/// The fields of an event or a span, by name.
#[derive(Default)]
struct Facts(Map<String, Value>);

impl Facts {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }
}

impl Visit for Facts {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0
            .insert(field.name().to_owned(), format!("{value:?}").into());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Exporter {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut trace = Facts::default();
        attributes.record(&mut trace);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(trace);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut request = Facts::default();
        event.record(&mut request);
        let span = context.event_span(event);
        let extensions = span.as_ref().map(|span| span.extensions());
        let trace = extensions.as_ref().and_then(|found| found.get::<Facts>());
        // The caller does not record the trace, so the service does not either.
        if trace.is_some_and(|trace| {
            trace
                .text("trace_flags")
                .is_some_and(|flags| !sampled(flags))
        }) {
            return;
        }
        let span = span_of(self.info, &request, trace, SystemTime::now());
        if self.outbox.try_send(Message::Span(span)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn sampled(flags: &str) -> bool {
    u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1)
}

/// A request as a span of the kind `server`, named as the convention has it.
fn span_of(info: &ServiceInfo, request: &Facts, trace: Option<&Facts>, end: SystemTime) -> Value {
    let took = request
        .0
        .get("duration_us")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let end = end
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let begin = end.saturating_sub(Duration::from_micros(took));
    let method = request.text("method").unwrap_or("_OTHER");
    let name = match request.text("route") {
        Some(route) => format!("{method} {route}"),
        None => method.to_owned(),
    };
    let trace_id = trace.and_then(|trace| trace.text("trace_id"));
    let mut attributes = Vec::new();
    for (field, key) in [
        ("method", "http.request.method"),
        ("route", "http.route"),
        ("status", "http.response.status_code"),
        ("code", "error.type"),
    ] {
        attributes.extend(request.0.get(field).map(|value| attribute(key, value)));
    }
    for field in ["operation", "request_id", "key_id"] {
        let key = format!("{}.{field}", info.name);
        attributes.extend(request.0.get(field).map(|value| attribute(&key, value)));
    }
    let failed = request
        .0
        .get("status")
        .and_then(Value::as_u64)
        .is_none_or(|status| status >= 500);
    let mut span = json!({
        "traceId": trace_id.map_or_else(|| format!("{:032x}", not_zero::<u128>()), str::to_owned),
        "spanId": format!("{:016x}", not_zero::<u64>()),
        "name": name,
        "kind": 2,
        "startTimeUnixNano": begin.as_nanos().to_string(),
        "endTimeUnixNano": end.as_nanos().to_string(),
        "attributes": attributes,
        "status": if failed { json!({"code": 2}) } else { json!({}) },
    });
    if let Some(parent) = trace.and_then(|trace| trace.text("parent_id")) {
        span["parentSpanId"] = parent.into();
    }
    span
}

/// A random id; zero is none.
fn not_zero<T>() -> T
where
    rand::distr::StandardUniform: rand::distr::Distribution<T>,
    T: Default + PartialEq,
{
    loop {
        let id: T = rand::random();
        if id != T::default() {
            return id;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::TEST;

    fn facts(value: Value) -> Facts {
        match value {
            Value::Object(members) => Facts(members),
            _ => Facts::default(),
        }
    }

    #[test]
    fn a_request_becomes_a_span_of_its_trace() {
        let request = facts(json!({
            "method": "GET", "route": "/v1/items", "status": 200, "duration_us": 1500,
            "key_id": "k_1", "message": "answered",
        }));
        let trace = facts(json!({"trace_id": "4b", "parent_id": "00f0", "trace_flags": "01"}));
        let end = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        let mut span = span_of(&TEST, &request, Some(&trace), end);
        assert_eq!(span["spanId"].take().as_str().map(str::len), Some(16));
        assert_eq!(
            span,
            json!({
                "traceId": "4b", "spanId": null, "parentSpanId": "00f0", "name": "GET /v1/items", "kind": 2,
                "startTimeUnixNano": "998500000", "endTimeUnixNano": "1000000000", "status": {},
                "attributes": [
                    {"key": "http.request.method", "value": {"stringValue": "GET"}},
                    {"key": "http.route", "value": {"stringValue": "/v1/items"}},
                    {"key": "http.response.status_code", "value": {"intValue": "200"}},
                    {"key": "shop.key_id", "value": {"stringValue": "k_1"}},
                ],
            })
        );
    }

    #[test]
    fn a_request_without_a_trace_begins_one_and_a_fault_is_marked() {
        let span = span_of(
            &TEST,
            &facts(json!({"method": "GET", "status": 503})),
            None,
            SystemTime::now(),
        );
        assert_eq!(span["traceId"].as_str().map(str::len), Some(32));
        assert_eq!(span.get("parentSpanId"), None);
        assert_eq!(
            (&span["name"], &span["status"]),
            (&json!("GET"), &json!({"code": 2}))
        );
    }
}
