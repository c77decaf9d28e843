//! Tests the limits of bodies.

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
async fn a_body_in_chunks_is_joined_and_returns_its_share_of_the_budget_when_dropped() {
    let budget = budget();
    let held = read_body(body(&["{\"a\"", ":1}"]), &budget, None).await;
    let held = held.expect("fits");
    assert_eq!(&*held.content, b"{\"a\":1}");
    assert_eq!(budget.used(), 7);
    drop(held);
    assert_eq!(budget.used(), 0);
}

#[tokio::test]
async fn a_body_without_a_length_is_rejected_at_the_first_byte_over_the_limit() {
    let budget = budget();
    let read = read_body(body(&["1234", "5678", "9"]), &budget, None).await;
    assert_eq!(read.expect_err("too large"), "payload_too_large");
    assert_eq!(budget.used(), 0);
}

#[tokio::test]
async fn all_request_bodies_share_one_memory_budget() {
    let budget = budget();
    let read = |chunks, principal| read_body(body(chunks), &budget, principal);
    let first = read(&["123456"], None).await.expect("fits");
    let error = read(&["12", "345"], None).await;
    assert_eq!(error.expect_err("does not fit"), "overloaded");
    // A principal cannot take the part that is left for others.
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
async fn reading_a_stalled_body_ends_after_the_time_limit() {
    let start = Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"{")));
    let stalls = stream::iter([start]).chain(stream::pending());
    let stalls = Body::wrap(StreamBody::new(stalls));
    let read = read_body(stalls, &budget(), None).await;
    assert_eq!(read.expect_err("stalls"), "request_timeout");
}

#[test]
fn a_content_length_that_is_too_large_is_rejected_before_anything_is_read() {
    let error = check_announced(&Body::from("12345678"), &limits(7)).expect_err("too large");
    assert_eq!(code(error), "payload_too_large");
    assert!(check_announced(&Body::from("1234567"), &limits(7)).is_ok());
    assert!(check_announced(&body(&["12345678"]), &limits(7)).is_ok());
}
