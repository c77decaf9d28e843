//! Tests the data that a client sends to OpenTelemetry through its SDK: the names, units and attributes of the semantic
//! conventions for HTTP clients. `examples/measure.rs` does the same with the pet store.

use crate::generated::{Client, RetryBudget, telemetry::HttpMetrics};
use crate::service::{KEY, Service, json};

use opentelemetry::{Value, metrics::MeterProvider as _, trace::TracerProvider as _};
use opentelemetry_sdk::{
    metrics::{
        InMemoryMetricExporter, PeriodicReader, SdkMeterProvider,
        data::{AggregatedMetrics, Metric, MetricData},
    },
    trace::{InMemorySpanExporter, SdkTracerProvider, SpanData},
};
use std::collections::BTreeMap;
use tracing_subscriber::{filter::LevelFilter, prelude::*};
#[cfg(feature = "blocking")]
use {
    crate::generated::telemetry::TracePropagation,
    opentelemetry::{
        Context, global,
        trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState},
    },
    opentelemetry_sdk::propagation::TraceContextPropagator,
    tracing::Instrument as _,
};

/// The body of an error after which the request is sent again.
const OVERLOADED: &str = r#"{"code":"overloaded","message":"later"}"#;

type Attributes = BTreeMap<String, String>;

/// The attributes as text, sorted by name.
fn texts<'a>(pairs: impl Iterator<Item = (&'a str, &'a Value)>) -> Attributes {
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_string()))
        .collect()
}

/// The attributes that each request to this server has.
fn expected(service: &Service, more: &[(&str, &str)]) -> Attributes {
    let url = service.base_url();
    let port = url.rsplit(':').next().expect("it has a port");
    let port = port.split('/').next().expect("a text has a beginning");
    let common = [
        ("http.request.method", "GET"),
        ("url.template", "/books"),
        ("server.address", "127.0.0.1"),
        ("server.port", port),
    ];
    let all = common.iter().chain(more);
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[tokio::test]
async fn each_try_is_measured_according_to_the_conventions() {
    let exporter = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(exporter.clone()).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    let overloaded = json("503 Service Unavailable", &["retry-after: 0"], OVERLOADED);
    let list = || json("200 OK", &[], "[]");
    let service = Service::responding([overloaded, list(), list()]).await;
    let budget = RetryBudget::new(10, 5);
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .retry_budget(budget.clone())
        .interceptor(HttpMetrics::with_meter(provider.meter("test")).with_budget(budget))
        .build()
        .expect("it is valid");
    let pets = client
        .list_books()
        .send()
        .await
        .expect("the second succeeds");
    assert_eq!(pets.retries(), 1);
    client.list_books().send().await.expect("it succeeds");

    provider.force_flush().expect("the exporter is in memory");
    let exported = exporter.get_finished_metrics().expect("they are exported");
    let last = exported.last().expect("something is exported");
    let metrics: BTreeMap<&str, &Metric> = last
        .scope_metrics()
        .flat_map(|scope| scope.metrics())
        .map(|metric| (metric.name(), metric))
        .collect();

    let duration = metrics["http.client.request.duration"];
    assert_eq!(duration.unit(), "s");
    let AggregatedMetrics::F64(MetricData::Histogram(histogram)) = duration.data() else {
        panic!("it is a histogram: {duration:?}");
    };
    let mut measured: Vec<(Attributes, u64)> = histogram
        .data_points()
        .map(|point| {
            let pairs = point.attributes();
            let bounds: Vec<f64> = point.bounds().collect();
            assert_eq!(bounds.first(), Some(&0.005));
            assert_eq!(bounds.last(), Some(&10.0));
            assert!(point.sum() > 0.0 && point.sum() < 60.0, "{}", point.sum());
            (
                texts(pairs.map(|pair| (pair.key.as_str(), &pair.value))),
                point.count(),
            )
        })
        .collect();
    measured.sort();
    let success = [("url.scheme", "http"), ("http.response.status_code", "200")];
    let failure = [
        ("url.scheme", "http"),
        ("http.response.status_code", "503"),
        ("error.type", "503"),
    ];
    let mut tries = vec![
        (expected(&service, &success), 2),
        (expected(&service, &failure), 1),
    ];
    tries.sort();
    assert_eq!(measured, tries);

    let retries = metrics["openapi_client.retries"];
    assert_eq!(retries.unit(), "{retry}");
    let AggregatedMetrics::U64(MetricData::Sum(sum)) = retries.data() else {
        panic!("it is a counter: {retries:?}");
    };
    let counted: Vec<(Attributes, u64)> = sum
        .data_points()
        .map(|point| {
            let pairs = point.attributes();
            let pairs = pairs.map(|pair| (pair.key.as_str(), &pair.value));
            (texts(pairs), point.value())
        })
        .collect();
    assert_eq!(counted, [(expected(&service, &[]), 1)]);

    let left = metrics["openapi_client.retry_budget.left"];
    let AggregatedMetrics::U64(MetricData::Gauge(gauge)) = left.data() else {
        panic!("it is a gauge: {left:?}");
    };
    // One of ten retries was used, and two calls have not earned another one yet.
    let left: Vec<u64> = gauge.data_points().map(|point| point.value()).collect();
    assert_eq!(left, [9]);
}

#[tokio::test]
async fn each_call_has_a_span_according_to_the_conventions() {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let service = Service::responding([
        json("503 Service Unavailable", &["retry-after: 0"], OVERLOADED),
        json("200 OK", &[], "[]"),
        json("403 Forbidden", &[], r#"{"code":"no","message":"not you"}"#),
    ])
    .await;
    let subscriber = tracing_subscriber::registry()
        .with(LevelFilter::INFO)
        .with(layer);
    {
        let _guard = tracing::subscriber::set_default(subscriber);
        let client = Client::builder(service.base_url()).api_key(KEY).build();
        let client = client.expect("it is valid");
        let call = client.list_books().limit(3_u64).send();
        call.await.expect("the second try succeeds");
        let call = client.list_books().send();
        call.await.expect_err("it is not allowed");
    }

    let spans = exporter.get_finished_spans().expect("they are in memory");
    let [repeated, forbidden] = spans.as_slice() else {
        panic!("each call has one: {spans:?}");
    };
    for span in &spans {
        assert_eq!(span.name, "GET /books");
        assert_eq!(span.span_kind, opentelemetry::trace::SpanKind::Client);
    }
    let url = |query: &str| format!("{}/books{query}", service.base_url());
    let full = url("?limit=3");
    let success = [
        ("url.full", full.as_str()),
        ("http.response.status_code", "200"),
        ("http.request.resend_count", "1"),
    ];
    assert_eq!(conventional(repeated), expected(&service, &success));
    assert_eq!(repeated.status, opentelemetry::trace::Status::Unset);
    let full = url("");
    let failure = [
        ("url.full", full.as_str()),
        ("http.response.status_code", "403"),
        ("error.type", "403"),
    ];
    assert_eq!(conventional(forbidden), expected(&service, &failure));
    assert!(
        matches!(forbidden.status, opentelemetry::trace::Status::Error { .. }),
        "{:?}",
        forbidden.status
    );
}

#[cfg(feature = "blocking")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_calls_have_the_spans_and_the_trace_of_their_caller() {
    global::set_text_map_propagator(TraceContextPropagator::new());
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let service = Service::responding((0..4).map(|_| json("200 OK", &[], "[]"))).await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .interceptor(TracePropagation)
        .build()
        .expect("it is valid");
    let subscriber = tracing_subscriber::registry().with(LevelFilter::INFO);
    {
        let _guard = tracing::subscriber::set_default(subscriber.with(layer));
        let span = tracing::info_span!("caller");
        let call = client.list_books().send().instrument(span.clone());
        call.await.expect("it succeeds");
        let _entered = span.entered();
        let response = client.list_books().send_blocking();
        response.expect("it succeeds");
        assert_eq!(client.list_books().pages().blocking().count(), 1);
    }
    let spans = exporter.get_finished_spans().expect("they are in memory");
    let [calls @ .., caller] = spans.as_slice() else {
        panic!("there are none");
    };
    assert_eq!(calls.len(), 3, "{spans:?}");
    for (call, request) in calls.iter().zip(service.requests()) {
        assert_eq!(call.name, "GET /books");
        assert_eq!(call.parent_span_id, caller.span_context.span_id());
        assert!(
            request.contains(&traceparent(&call.span_context)),
            "{request}"
        );
    }

    // Without `tracing`, the context of OpenTelemetry is used.
    let (trace, span) = (TraceId::from(7_u128), SpanId::from(9_u64));
    let state = TraceState::default();
    let remote = SpanContext::new(trace, span, TraceFlags::SAMPLED, true, state);
    let expected = traceparent(&remote);
    let _attached = Context::new().with_remote_span_context(remote).attach();
    let response = client.list_books().send_blocking();
    response.expect("it succeeds");
    let request = &service.requests()[3];
    assert!(request.contains(&expected), "{request}");
}

/// Returns the header of a request that belongs to this span.
#[cfg(feature = "blocking")]
fn traceparent(span: &SpanContext) -> String {
    format!(
        "traceparent: 00-{}-{}-01\r\n",
        span.trace_id(),
        span.span_id()
    )
}

/// Returns the attributes with the names of the conventions; the client also has its own names.
fn conventional(span: &SpanData) -> Attributes {
    let pairs = span.attributes.iter();
    let pairs = pairs.map(|pair| (pair.key.as_str(), &pair.value));
    let mut all = texts(pairs);
    all.retain(|name, _| {
        ["http.", "url.", "server.", "error."]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    });
    all
}

#[tokio::test]
async fn failed_loads_of_a_key_are_counted() {
    let exporter = InMemoryMetricExporter::default();
    let reader = PeriodicReader::builder(exporter.clone()).build();
    let provider = SdkMeterProvider::builder().with_reader(reader).build();
    let client = Client::builder("http://127.0.0.1:1/v1")
        .credentials(|| async { Err("the vault is closed".into()) })
        .interceptor(HttpMetrics::with_meter(provider.meter("test")))
        .build()
        .expect("it is valid");
    client
        .list_books()
        .send()
        .await
        .expect_err("there is no key");
    provider.force_flush().expect("the exporter is in memory");
    let exported = exporter.get_finished_metrics().expect("they are exported");
    let mut metrics = exported.iter().flat_map(|all| all.scope_metrics());
    let counter = metrics.find_map(|scope| {
        let mut metrics = scope.metrics();
        metrics.find(|metric| metric.name() == "openapi_client.credentials.failures")
    });
    let counter = counter.expect("the counter is exported");
    let AggregatedMetrics::U64(MetricData::Sum(sum)) = counter.data() else {
        panic!("it is a sum: {counter:?}");
    };
    let points: Vec<_> = sum.data_points().collect();
    assert_eq!((points.len(), points[0].value()), (1, 1));
    let pairs = points[0].attributes();
    let attributes = texts(pairs.map(|pair| (pair.key.as_str(), &pair.value)));
    assert_eq!(attributes["has_earlier_key"], "false");
}
