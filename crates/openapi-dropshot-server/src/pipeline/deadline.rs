//! Responds with 503 if a request takes too long, and with 500 if it panics. A handler that ended with a mock response does not
//! count as panicked.

use super::error_response::ErrorResponse;
use crate::{config::Limits, mock};
use dropshot::Body;
use futures::FutureExt as _;
use http::Response;
use openapi_dropshot_types::Condition;
use std::{any::Any, panic::AssertUnwindSafe, pin::Pin, task::Poll, time::Duration};
use tokio::time::{Instant, timeout_at};

/// Returns the result of the work, or 503 if it took too long.
pub(super) async fn within<T>(
    limits: &Limits,
    work: Pin<&mut impl Future<Output = T>>,
) -> Result<T, ErrorResponse> {
    let deadline = limits.request_deadline_seconds;
    let result = timeout(deadline.duration(), work).await;
    result.ok_or_else(|| too_late(limits, true))
}

/// Like [`within`], but work that may wait has until `deadline`. If the work is a write, it is unknown whether it took effect: a
/// write that was passed to a store continues.
pub(super) async fn within_or_wait<T>(
    limits: &Limits,
    mut work: Pin<&mut impl Future<Output = T>>,
    deadline: impl Fn() -> Option<Instant>,
    changes: bool,
) -> Result<T, ErrorResponse> {
    let in_time = limits.request_deadline_seconds.duration();
    if let Some(result) = timeout(in_time, work.as_mut()).await {
        return Ok(result);
    }
    while let Some(later) = deadline().filter(|later| *later > Instant::now()) {
        if let Ok(result) = timeout_at(later, work.as_mut()).await {
            return Ok(result);
        }
    }
    Err(too_late(limits, changes))
}

fn too_late(limits: &Limits, changes: bool) -> ErrorResponse {
    let deadline = limits.request_deadline_seconds;
    let rest = match changes {
        true => "it is unknown whether it took effect; check before you repeat it",
        false => "it can be repeated",
    };
    let message = format!("the request took longer than {deadline} seconds; {rest}");
    ErrorResponse::new(Condition::Unavailable, message)
}

/// Like tokio's `timeout`, but sets a timer only if the work does not end at once.
// The caller pins the work. As an argument that is awaited, it would be in the future twice, and both copies would be moved with
// each future around it.
pub(super) async fn timeout<T>(
    time: Duration,
    mut work: Pin<&mut impl Future<Output = T>>,
) -> Option<T> {
    match futures::poll!(work.as_mut()) {
        Poll::Ready(result) => Some(result),
        Poll::Pending => tokio::time::timeout(time, work).await.ok(),
    }
}

/// Returns the result of the work, or `internal_error` if the work panicked.
// This is not an `async fn`, for the reason given at `timeout`.
pub(super) fn caught(
    work: impl Future<Output = Result<Response<Body>, ErrorResponse>>,
) -> impl Future<Output = Result<Response<Body>, ErrorResponse>> {
    // State that a panic leaves incomplete belongs to this request alone or is protected by a lock.
    AssertUnwindSafe(work).catch_unwind().map(|caught| {
        caught.unwrap_or_else(|panic| {
            mock::response_of(panic)
                .unwrap_or_else(|panic| Err(format!("the request panicked: {}", text(&*panic))))
                .map_err(ErrorResponse::internal)
        })
    })
}

fn text(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "with a value that is not text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::TestContract;

    #[tokio::test]
    async fn a_panic_is_an_internal_error_whose_message_is_only_logged() {
        for (work, text) in [(1, "once"), (2, "twice"), (3, "not text")] {
            let error = caught(async move {
                match work {
                    1 => panic!("once"),
                    2 => panic!("{}", "twice".to_owned()),
                    _ => std::panic::panic_any(3),
                }
            })
            .await
            .expect_err("panicked");
            let error = error.rejection::<TestContract>();
            assert_eq!(error.error.code, "internal_error");
            assert!(!error.message.contains(text));
            assert!(error.detail.is_some_and(|detail| detail.contains(text)));
        }
    }
}
