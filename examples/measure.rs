//! Lists pets and prints the metrics of OpenTelemetry: the duration of each try, the number of retries, and the remaining retry
//! budget.

use anyhow::{Context, Result};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, PeriodicReader, SdkMeterProvider,
    data::{AggregatedMetrics, MetricData},
};
use petstore_client::{RetryBudget, telemetry::HttpMetrics};

#[tokio::main]
async fn main() -> Result<()> {
    // A real application uses an exporter such as `opentelemetry-otlp`, sets the global meter provider, and calls
    // `HttpMetrics::new`.
    let exporter = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(exporter.clone()).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    let budget = RetryBudget::default();
    let metrics = HttpMetrics::with_meter(provider.meter("measure")).with_budget(budget.clone());
    let client = petstore_examples::builder()?
        .retry_budget(budget)
        .interceptor(metrics)
        .build()?;
    let pets = client.list_pets().send().await;
    println!("{} pets", pets.context("the pets cannot be listed")?.len());

    provider.force_flush()?;
    for resource in exporter.get_finished_metrics()? {
        for metric in resource.scope_metrics().flat_map(|scope| scope.metrics()) {
            let value = match metric.data() {
                AggregatedMetrics::F64(MetricData::Histogram(histogram)) => {
                    let count: u64 = histogram.data_points().map(|point| point.count()).sum();
                    format!("{count} tries")
                }
                AggregatedMetrics::U64(MetricData::Sum(sum)) => {
                    let sum: u64 = sum.data_points().map(|point| point.value()).sum();
                    sum.to_string()
                }
                AggregatedMetrics::U64(MetricData::Gauge(gauge)) => {
                    let left: Vec<u64> = gauge.data_points().map(|point| point.value()).collect();
                    format!("{left:?}")
                }
                other => format!("{other:?}"),
            };
            println!("{} ({}): {value}", metric.name(), metric.unit());
        }
    }
    Ok(())
}
