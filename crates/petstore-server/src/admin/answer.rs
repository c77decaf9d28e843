//! The answers of the admin listener. `/livez`: the process can answer, nothing
//! else is looked at, since a restart mends nothing else. `/readyz`: traffic
//! should be sent here. `/metrics`: what was counted.

use super::Subject;
use crate::readiness::Phase;
use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::Full;
use std::time::Duration;

/// How long the store may take to say that it is well: less than the second
/// that a probe of Kubernetes waits.
const STORE: Duration = Duration::from_millis(800);

const TEXT: &str = "text/plain; charset=utf-8";
/// The format that every Prometheus reads.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

type Answer = Response<Full<Bytes>>;

pub(super) async fn answer<B>(request: &Request<B>, subject: &Subject) -> Answer {
    let path = request.uri().path();
    if !["/livez", "/readyz", "/metrics"].contains(&path) {
        return text(
            StatusCode::NOT_FOUND,
            "there are /livez, /readyz and /metrics",
        );
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut answer = text(StatusCode::METHOD_NOT_ALLOWED, "use GET or HEAD");
        answer
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return answer;
    }
    match path {
        "/livez" => text(StatusCode::OK, "alive"),
        "/readyz" => match why_not_ready(subject).await {
            None => text(StatusCode::OK, "ready"),
            Some(why) => text(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {why}")),
        },
        _ => metrics(subject),
    }
}

async fn why_not_ready(subject: &Subject) -> Option<&'static str> {
    match subject.readiness.phase() {
        Phase::Starting => return Some("the service starts"),
        Phase::Leaving | Phase::Stopping => return Some("the service stops"),
        Phase::Ready => {}
    }
    match tokio::time::timeout(STORE, subject.store.check()).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::warn!(cause, "not ready: {error}");
            Some("the store cannot be used; the log says why")
        }
        Err(_) => Some("the store does not answer in time"),
    }
}

fn metrics(subject: &Subject) -> Answer {
    let Some(metrics) = &subject.metrics else {
        return text(
            StatusCode::NOT_FOUND,
            "metrics are switched off (`--metrics off`)",
        );
    };
    match metrics.text() {
        Ok(counted) => with(StatusCode::OK, METRICS, counted),
        Err(problem) => {
            tracing::error!("the metrics cannot be written: {problem}");
            text(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the metrics cannot be written",
            )
        }
    }
}

/// A line of text.
fn text(status: StatusCode, line: impl Into<String>) -> Answer {
    with(status, TEXT, line.into() + "\n")
}

fn with(status: StatusCode, content_type: &'static str, body: String) -> Answer {
    let mut answer = Response::new(Full::from(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}
