//! Sends a span for every request to an OpenTelemetry collector: OTLP over HTTP, in JSON. The span
//! is created from the line of the access log, even if that line is not written. The standard
//! variables of OpenTelemetry configure the export, such as `OTEL_EXPORTER_OTLP_HEADERS` for a
//! collector that requires authentication. Without a collector, nothing is sent. If the collector
//! is slow or unreachable, spans are lost, but no request waits.

use crate::ServiceInfo;
use opentelemetry::{
    Context as SpanParent, KeyValue, SpanId, TraceFlags, TraceId, Value,
    trace::{
        Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt as _, TraceState,
        TracerProvider as _,
    },
};
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider, TracerProviderBuilder},
};
use std::{
    borrow::Cow,
    collections::HashMap,
    env,
    fmt::Debug,
    time::{Duration, SystemTime},
};
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{Layer, layer::Context, registry::LookupSpan};

/// How long the program waits at its end until the last spans are sent.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Creates spans of requests and sends them to the collector.
#[derive(Clone)]
pub(super) struct Exporter {
    info: &'static ServiceInfo,
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Exporter {
    /// Creates the exporter if the environment names a collector.
    ///
    /// # Errors
    ///
    /// Returns an error if a variable of OpenTelemetry is not valid.
    pub(super) fn from_environment(
        info: &'static ServiceInfo,
    ) -> Result<Option<Self>, ExporterBuildError> {
        let is_set = |variable: &str| env::var_os(variable).is_some_and(|value| !value.is_empty());
        if !is_set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") && !is_set("OTEL_EXPORTER_OTLP_ENDPOINT") {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpJson)
            .build()?;
        let resource =
            Resource::builder().with_attribute(KeyValue::new("service.version", info.version));
        let resource = match is_set("OTEL_SERVICE_NAME") {
            true => resource,
            false => resource.with_service_name(info.program),
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build());
        Ok(Some(Self::new(info, provider)))
    }

    fn new(info: &'static ServiceInfo, provider: TracerProviderBuilder) -> Self {
        let provider = provider.build();
        Exporter {
            info,
            tracer: provider.tracer(info.crate_name),
            provider,
        }
    }

    /// Waits for a limited time until everything is sent.
    pub(super) fn write_out(&self) {
        // The SDK logs the failure itself.
        let _sent = self.provider.shutdown_with_timeout(LAST_WORDS);
    }

    /// Sends a request as a span of the kind `server`, named according to the conventions of
    /// OpenTelemetry. The sampler of the SDK drops a request whose caller does not record the
    /// trace.
    fn send(&self, request: &Fields, trace: Option<&Fields>, end: SystemTime) {
        let took = request.number("duration_us").unwrap_or_default();
        let method = request.text("method").unwrap_or("_OTHER".into());
        let name = match request.text("route") {
            Some(route) => format!("{method} {route}"),
            None => method.into_owned(),
        };
        let common = [
            ("method", "http.request.method"),
            ("route", "http.route"),
            ("status", "http.response.status_code"),
            ("code", "error.type"),
        ];
        let own = ["operation", "request_id", "key_id"];
        let keys = common
            .map(|(field, key)| (field, key.to_owned()))
            .into_iter()
            .chain(own.map(|field| (field, format!("{}.{field}", self.info.name))));
        let attributes = keys.filter_map(|(field, key)| {
            let value = request.0.get(field)?.clone();
            Some(KeyValue::new(key, value))
        });
        let parent = trace.and_then(Fields::parent).unwrap_or_default();
        let mut span = SpanBuilder::from_name(name)
            .with_kind(SpanKind::Server)
            .with_start_time(end - Duration::from_micros(took))
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &parent);
        if request.number("status").is_none_or(|status| status >= 500) {
            span.set_status(Status::error(""));
        }
        span.end_with_timestamp(end);
    }
}

/// The fields of an event or a span, by name.
#[derive(Default)]
struct Fields(HashMap<&'static str, Value>);

impl Fields {
    fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        Some(self.0.get(name)?.as_str())
    }

    fn number(&self, name: &str) -> Option<u64> {
        match self.0.get(name)? {
            Value::I64(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// Returns the span of the caller, which is read from the fields of the request's span.
    fn parent(&self) -> Option<SpanParent> {
        let flags = u8::from_str_radix(&self.text("trace_flags")?, 16).ok()?;
        let parent = SpanContext::new(
            TraceId::from_hex(&self.text("trace_id")?).ok()?,
            SpanId::from_hex(&self.text("parent_id")?).ok()?,
            TraceFlags::new(flags),
            true,
            TraceState::NONE,
        );
        Some(SpanParent::new().with_remote_span_context(parent))
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        let value = i64::try_from(value).unwrap_or(i64::MAX);
        self.0.insert(field.name(), value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned().into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}").into());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Exporter {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut trace = Fields::default();
        attributes.record(&mut trace);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(trace);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut request = Fields::default();
        event.record(&mut request);
        let span = context.event_span(event);
        let extensions = span.as_ref().map(|span| span.extensions());
        let trace = extensions.as_ref().and_then(|found| found.get::<Fields>());
        self.send(&request, trace, SystemTime::now());
    }
}

#[cfg(test)]
mod tests;
