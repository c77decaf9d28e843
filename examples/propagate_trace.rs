//! Counts the pets within a trace. Each request has the trace id in the header `traceparent`, so the log of the service shows
//! this id.

use anyhow::Result;
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry_sdk::{propagation::TraceContextPropagator, trace::SdkTracerProvider};
use petstore_client::telemetry::TracePropagation;
use tracing::{Instrument as _, Span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::prelude::*;

#[tokio::main]
async fn main() -> Result<()> {
    // A real application adds an exporter here, such as `opentelemetry-otlp`.
    let provider = SdkTracerProvider::builder().build();
    let spans = tracing_opentelemetry::layer().with_tracer(provider.tracer("propagate_trace"));
    tracing_subscriber::registry().with(spans).init();
    opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());

    let client = petstore_examples::builder()?
        .interceptor(TracePropagation)
        .build()?;
    count(&client)
        .instrument(tracing::info_span!("count_pets"))
        .await
}

async fn count(client: &petstore_client::Client) -> Result<()> {
    let mut pets = client.list_pets().stream();
    let mut count = 0;
    while let Some(pet) = pets.next().await {
        pet?;
        count += 1;
    }
    let context = Span::current().context();
    let trace = context.span().span_context().trace_id();
    println!("{count} pets, trace {trace}");
    Ok(())
}
