//! Reads a body into memory within three limits: its size, its duration, and the total memory
//! of all bodies. The body of an operation without a body is read and discarded.

use super::error_response::ErrorResponse;
use crate::config::Limits;
use bytes::{Bytes, BytesMut};
use dropshot::Body;
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use openapi_dropshot_types::Condition;
use tokio::sync::{Semaphore, SemaphorePermit};

/// A body in memory, and its share of the budget for all bodies.
#[derive(Debug, Default)]
pub(super) struct BufferedBody<'a> {
    pub(super) content: Bytes,
    _share: Option<SemaphorePermit<'a>>,
}

/// 413 where a body is too large by its own `Content-Length`, before any of it
/// is read.
pub(super) fn check_announced(body: &Body, limits: &Limits) -> Result<(), ErrorResponse> {
    let max = limits.body_max_bytes.get();
    match body.size_hint().exact() {
        Some(length) if length > max as u64 => Err(too_large(max)),
        _ => Ok(()),
    }
}

/// The whole body.
pub(super) async fn read<'a>(
    body: &mut Body,
    limits: &Limits,
    budget: &'a Semaphore,
) -> Result<BufferedBody<'a>, ErrorResponse> {
    if body.is_end_stream() {
        return Ok(BufferedBody::default());
    }
    let time = limits.body_read_seconds;
    match tokio::time::timeout(time.duration(), collect(body, limits, budget)).await {
        Ok(read) => read,
        Err(_) => {
            let message =
                format!("the body did not arrive within {time} seconds; send it without pauses");
            Err(ErrorResponse::new(Condition::RequestTimeout, message))
        }
    }
}

async fn collect<'a>(
    body: &mut Body,
    limits: &Limits,
    budget: &'a Semaphore,
) -> Result<BufferedBody<'a>, ErrorResponse> {
    let max = limits.body_max_bytes.get();
    let mut content = BytesMut::new();
    let mut share = None;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            let message = "the body broke off, or its length or chunks are not as announced";
            ErrorResponse::new(Condition::InvalidRequest, message)
        })?;
        // A frame that is not data is a trailer, which has no meaning here.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if content.len() + data.len() > max {
            return Err(too_large(max));
        }
        take_share(&mut share, data.len(), budget)?;
        content.extend_from_slice(&data);
    }
    Ok(BufferedBody {
        content: content.freeze(),
        _share: share,
    })
}

/// The budget is taken for what has arrived, not for what was announced: else
/// announcing much and sending nothing would use it up.
fn take_share<'a>(
    share: &mut Option<SemaphorePermit<'a>>,
    length: usize,
    budget: &'a Semaphore,
) -> Result<(), ErrorResponse> {
    let length = u32::try_from(length).ok();
    let Some(more) = length.and_then(|length| budget.try_acquire_many(length).ok()) else {
        let message = "the service holds too many bodies at the moment; nothing was started, try again in 1 second";
        return Err(ErrorResponse::new(Condition::Overloaded, message));
    };
    match share {
        Some(share) => share.merge(more),
        None => *share = Some(more),
    }
    Ok(())
}

fn too_large(max: usize) -> ErrorResponse {
    let message = format!("the body is larger than {max} bytes; send a smaller one");
    ErrorResponse::new(Condition::PayloadTooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::TestContract;
    use futures::{StreamExt as _, stream};
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use std::{convert::Infallible, num::NonZeroUsize};

    fn code(error: ErrorResponse) -> &'static str {
        error.rejection::<TestContract>().error.code
    }

    fn limits(body_max_bytes: usize) -> Limits {
        let body_max_bytes = NonZeroUsize::new(body_max_bytes).expect("not none");
        let body_read_seconds = "0.01".parse().expect("valid");
        Limits {
            body_max_bytes,
            body_read_seconds,
            ..Limits::default()
        }
    }

    fn chunks(chunks: &[&'static str]) -> Body {
        let frames: Vec<_> = chunks
            .iter()
            .map(|chunk| Ok::<_, Infallible>(Frame::data(Bytes::from_static(chunk.as_bytes()))))
            .collect();
        Body::wrap(StreamBody::new(stream::iter(frames)))
    }

    #[tokio::test]
    async fn a_body_is_put_together_and_gives_its_share_back() {
        let budget = Semaphore::new(10);
        let held = read(&mut chunks(&["{\"a\"", ":1}"]), &limits(7), &budget)
            .await
            .expect("fits");
        assert_eq!(&*held.content, b"{\"a\":1}");
        assert_eq!(budget.available_permits(), 3);
        drop(held);
        assert_eq!(budget.available_permits(), 10);
    }

    #[tokio::test]
    async fn a_body_that_grows_too_large_is_rejected_where_it_does() {
        let budget = Semaphore::new(10);
        let error = read(&mut chunks(&["1234", "5678", "9"]), &limits(7), &budget)
            .await
            .expect_err("too large");
        assert_eq!(code(error), "payload_too_large");
        assert_eq!(budget.available_permits(), 10);
    }

    #[tokio::test]
    async fn bodies_share_a_budget() {
        let budget = Semaphore::new(10);
        let first = read(&mut chunks(&["123456"]), &limits(7), &budget)
            .await
            .expect("fits");
        let error = read(&mut chunks(&["12", "345"]), &limits(7), &budget)
            .await
            .expect_err("does not fit");
        assert_eq!(code(error), "overloaded");
        drop(first);
        assert!(
            read(&mut chunks(&["12", "345"]), &limits(7), &budget)
                .await
                .is_ok()
        );
    }

    #[tokio::test]
    async fn a_body_that_stalls_is_given_up() {
        let start = Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"{")));
        let stalls = stream::iter([start]).chain(stream::pending());
        let mut body = Body::wrap(StreamBody::new(stalls));
        let error = read(&mut body, &limits(7), &Semaphore::new(10))
            .await
            .expect_err("stalls");
        assert_eq!(code(error), "request_timeout");
    }

    #[test]
    fn an_announced_length_is_rejected_before_anything_is_read() {
        let error = check_announced(&Body::from("12345678"), &limits(7)).expect_err("too large");
        assert_eq!(code(error), "payload_too_large");
        assert!(check_announced(&Body::from("1234567"), &limits(7)).is_ok());
        assert!(check_announced(&chunks(&["12345678"]), &limits(7)).is_ok());
    }
}
