//! Reads a body into memory within three limits: its size, its duration, and the total memory
//! of all bodies. The body of an operation without a body is read and discarded.

use super::error_response::ErrorResponse;
use crate::config::Limits;
use bytes::Bytes;
use dropshot::Body;
use fair_shares::{Share, Shares};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use openapi_dropshot_types::Condition;
use std::{hash::Hash, pin::pin, sync::Arc, task::Poll};

/// A body in memory, and its share of the budget for all bodies.
#[derive(Debug)]
pub(super) struct BufferedBody<P: Copy + Eq + Hash> {
    pub(super) content: Bytes,
    _share: Option<Share<Option<P>>>,
}

/// The budget in bytes for the bodies of all principals. Bodies without a principal share as
/// those of one.
pub(super) type Budget<P> = Arc<Shares<Option<P>>>;

/// 413 where a body is too large by its own `Content-Length`, before any of it
/// is read.
pub(super) fn check_announced(body: &Body, limits: &Limits) -> Result<(), ErrorResponse> {
    let max = limits.body_max_bytes.get();
    match body.size_hint().exact() {
        Some(length) if length > max as u64 => Err(too_large(max)),
        _ => Ok(()),
    }
}

/// The whole body, which a principal sends. If it has not arrived yet, `wait` is called, and what it
/// returns is kept until then.
pub(super) async fn read<P: Copy + Eq + Hash, W>(
    body: &mut Body,
    limits: &Limits,
    budget: &Budget<P>,
    principal: Option<P>,
    wait: impl FnOnce() -> Result<W, ErrorResponse>,
) -> Result<BufferedBody<P>, ErrorResponse> {
    if body.is_end_stream() {
        return Ok(BufferedBody {
            content: Bytes::new(),
            _share: None,
        });
    }
    let time = limits.body_read_seconds;
    let mut content = pin!(collect(body, limits, budget, principal));
    if let Poll::Ready(read) = futures::poll!(content.as_mut()) {
        return read;
    }
    let _waiting = wait()?;
    match tokio::time::timeout(time.duration(), content).await {
        Ok(read) => read,
        Err(_) => {
            let message =
                format!("the body did not arrive within {time} seconds; send it without pauses");
            Err(ErrorResponse::new(Condition::RequestTimeout, message))
        }
    }
}

async fn collect<P: Copy + Eq + Hash>(
    body: &mut Body,
    limits: &Limits,
    budget: &Budget<P>,
    principal: Option<P>,
) -> Result<BufferedBody<P>, ErrorResponse> {
    let max = limits.body_max_bytes.get();
    let mut content = Vec::new();
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
        let length = content.len() + data.len();
        if length > max {
            return Err(too_large(max));
        }
        if length > content.capacity() {
            // What is reserved counts, too.
            let capacity = length.max(2 * content.capacity()).min(max);
            let more = capacity - content.capacity();
            take_share(&mut share, more, budget, principal)?;
            content.reserve_exact(capacity - content.len());
        }
        content.extend_from_slice(&data);
    }
    Ok(BufferedBody {
        content: content.into(),
        _share: share,
    })
}

/// The budget is taken for what has arrived, not for what was announced: else
/// announcing much and sending nothing would use it up.
fn take_share<P: Copy + Eq + Hash>(
    share: &mut Option<Share<Option<P>>>,
    length: usize,
    budget: &Budget<P>,
    principal: Option<P>,
) -> Result<(), ErrorResponse> {
    let is_taken = match share {
        Some(share) => share.try_grow(length),
        None => {
            *share = budget.try_take(&principal, length);
            share.is_some()
        }
    };
    if is_taken {
        return Ok(());
    }
    let message = "the service holds too many bodies at the moment, of this key or of all; nothing was started, try again in 1 second";
    Err(ErrorResponse::new(Condition::Overloaded, message))
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

    fn budget() -> Budget<u8> {
        Arc::new(Shares::new(10))
    }

    fn body(chunks: &[&'static str]) -> Body {
        let frames: Vec<_> = chunks
            .iter()
            .map(|chunk| Ok::<_, Infallible>(Frame::data(Bytes::from_static(chunk.as_bytes()))))
            .collect();
        Body::wrap(StreamBody::new(stream::iter(frames)))
    }

    /// Reads a body of at most 7 bytes; returns the code of the error.
    async fn read_body(
        mut body: Body,
        budget: &Budget<u8>,
        principal: Option<u8>,
    ) -> Result<BufferedBody<u8>, &'static str> {
        let read = read(&mut body, &limits(7), budget, principal, || Ok(())).await;
        read.map_err(code)
    }

    #[tokio::test]
    async fn a_body_is_put_together_and_gives_its_share_back() {
        let budget = budget();
        let held = read_body(body(&["{\"a\"", ":1}"]), &budget, None).await;
        let held = held.expect("fits");
        assert_eq!(&*held.content, b"{\"a\":1}");
        assert_eq!(budget.used(), 7);
        drop(held);
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn a_body_that_grows_too_large_is_rejected_where_it_does() {
        let budget = budget();
        let read = read_body(body(&["1234", "5678", "9"]), &budget, None).await;
        assert_eq!(read.expect_err("too large"), "payload_too_large");
        assert_eq!(budget.used(), 0);
    }

    #[tokio::test]
    async fn bodies_share_a_budget() {
        let budget = budget();
        let read = |chunks, principal| read_body(body(chunks), &budget, principal);
        let first = read(&["123456"], None).await.expect("fits");
        let error = read(&["12", "345"], None).await;
        assert_eq!(error.expect_err("does not fit"), "overloaded");
        // One principal does not get what is left for others.
        let second = read(&["123"], Some(1)).await.expect("fits");
        let error = read(&["1"], Some(1)).await;
        assert_eq!(
            error.expect_err("it is not another principal"),
            "overloaded"
        );
        assert!(read(&["1"], Some(2)).await.is_ok());
        drop((first, second));
        assert!(read(&["12", "345"], None).await.is_ok());
    }

    #[tokio::test]
    async fn a_body_that_stalls_is_given_up() {
        let start = Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"{")));
        let stalls = stream::iter([start]).chain(stream::pending());
        let stalls = Body::wrap(StreamBody::new(stalls));
        let read = read_body(stalls, &budget(), None).await;
        assert_eq!(read.expect_err("stalls"), "request_timeout");
    }

    #[test]
    fn an_announced_length_is_rejected_before_anything_is_read() {
        let error = check_announced(&Body::from("12345678"), &limits(7)).expect_err("too large");
        assert_eq!(code(error), "payload_too_large");
        assert!(check_announced(&Body::from("1234567"), &limits(7)).is_ok());
        assert!(check_announced(&body(&["12345678"]), &limits(7)).is_ok());
    }
}
