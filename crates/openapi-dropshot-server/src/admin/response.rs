//! The responses of the admin listener. `/livez` reports that the process can
//! respond; it checks nothing else, because a restart repairs nothing else.
//! `/readyz` reports whether the server accepts traffic. `/metrics` returns the
//! metrics.

use super::Subject;
use crate::{readiness::Phase, state::State};
use bytes::Bytes;
use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE},
};
use http_body_util::Full;
use std::time::Duration;

/// How long the state may take to respond: less than the second
/// that a probe of Kubernetes waits.
const STATE: Duration = Duration::from_millis(800);

const TEXT: &str = "text/plain; charset=utf-8";
/// The format that every Prometheus reads.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

type TextResponse = Response<Full<Bytes>>;

pub(super) async fn respond<B, S: State>(
    request: &Request<B>,
    subject: &Subject<S>,
) -> TextResponse {
    let path = request.uri().path();
    if !["/livez", "/readyz", "/metrics"].contains(&path) {
        return text(
            StatusCode::NOT_FOUND,
            "there are /livez, /readyz and /metrics",
        );
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "use GET or HEAD");
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        return response;
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

async fn why_not_ready<S: State>(subject: &Subject<S>) -> Option<&'static str> {
    match subject.readiness.phase() {
        Phase::Starting => return Some("the service starts"),
        Phase::Leaving | Phase::Stopping => return Some("the service stops"),
        Phase::Ready => {}
    }
    match tokio::time::timeout(STATE, subject.state.check()).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => {
            tracing::warn!(cause = error.cause(), "not ready: {error}");
            Some("the store cannot be used; the log says why")
        }
        Err(_) => Some("the store does not respond in time"),
    }
}

fn metrics<S>(subject: &Subject<S>) -> TextResponse {
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
fn text(status: StatusCode, line: impl Into<String>) -> TextResponse {
    with(status, TEXT, line.into() + "\n")
}

fn with(status: StatusCode, content_type: &'static str, body: String) -> TextResponse {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
