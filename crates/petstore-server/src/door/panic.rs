//! A panic on the way of one request is that request's 500, and nobody else's
//! business. Its place in the source is logged by `panics.rs`.

use super::answer::Rejection;
use crate::api::Refusal;
use futures::FutureExt as _;
use std::{any::Any, panic::AssertUnwindSafe};

/// What the work gave, or `internal_error` where it panicked.
// No `async fn`, for the reason given in `deadline.rs`.
pub(super) fn caught<T>(
    work: impl Future<Output = Result<T, Rejection>>,
) -> impl Future<Output = Result<T, Rejection>> {
    // What a panic can leave half done is either of this request alone, or
    // kept whole by its own lock.
    AssertUnwindSafe(work).catch_unwind().map(|caught| {
        caught.unwrap_or_else(|panic| {
            Err(Refusal::internal(format!("the request panicked: {}", text(&*panic))).into())
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
    use crate::api::ErrorCode;

    #[tokio::test]
    async fn a_panic_is_an_internal_error_that_tells_only_the_log() {
        for (work, said) in [(1, "once"), (2, "twice"), (3, "no text")] {
            let rejection = caught::<()>(async move {
                match work {
                    1 => panic!("once"),
                    2 => panic!("{}", "twice".to_owned()),
                    _ => std::panic::panic_any(3),
                }
            })
            .await
            .expect_err("panicked");
            assert_eq!(rejection.refusal.code, ErrorCode::InternalError);
            assert!(!rejection.refusal.message.contains(said));
            assert!(
                rejection
                    .refusal
                    .detail
                    .is_some_and(|detail| detail.contains(said))
            );
        }
    }
}
