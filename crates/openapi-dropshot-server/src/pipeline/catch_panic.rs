//! Turns a panic during a request into the response 500.

use super::error_response::ErrorResponse;
use futures::FutureExt as _;
use std::{any::Any, panic::AssertUnwindSafe};

/// The result of the work, or `internal_error` where it panicked.
// No `async fn`, for the reason given in `deadline.rs`.
pub(super) fn caught<T>(
    work: impl Future<Output = Result<T, ErrorResponse>>,
) -> impl Future<Output = Result<T, ErrorResponse>> {
    // What a panic can leave half done is either of this request alone, or
    // protected by its own lock.
    AssertUnwindSafe(work).catch_unwind().map(|caught| {
        caught.unwrap_or_else(|panic| {
            Err(ErrorResponse::internal(format!(
                "the request panicked: {}",
                text(&*panic)
            )))
        })
    })
}

fn text(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "with a value that is no text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::TestContract;

    #[tokio::test]
    async fn a_panic_is_an_internal_error_that_tells_only_the_log() {
        for (work, text) in [(1, "once"), (2, "twice"), (3, "no text")] {
            let error = caught::<()>(async move {
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
