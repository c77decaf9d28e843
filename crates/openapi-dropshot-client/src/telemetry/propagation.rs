//! Sends the trace of the current span with each try.

use crate::{BoxError, Interceptor, TryRequest};
use http::{HeaderMap, HeaderName, HeaderValue};
use opentelemetry::{Context, global, propagation::Injector, trace::TraceContextExt as _};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// Sends the trace of the current `tracing` span, or of the current OpenTelemetry context, with each try. The spans and log
/// lines of the service then belong to the trace of the application.
///
/// The global propagator writes the headers: `traceparent` and `tracestate` with the `TraceContextPropagator` of
/// `opentelemetry_sdk`. Without a propagator or without a trace, no header is added.
#[derive(Clone, Copy, Debug, Default)]
pub struct TracePropagation;

impl Interceptor for TracePropagation {
    fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        let mut context = Span::current().context();
        if !context.span().span_context().is_valid() {
            context = Context::current();
        }
        let mut headers = Headers(request.headers_mut());
        global::get_text_map_propagator(|propagator| {
            propagator.inject_context(&context, &mut headers);
        });
        Ok(())
    }
}

struct Headers<'a>(&'a mut HeaderMap);

impl Injector for Headers<'_> {
    fn set(&mut self, name: &str, value: String) {
        // Propagators write valid headers; an invalid one is omitted.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            self.0.insert(name, value);
        }
    }
}
