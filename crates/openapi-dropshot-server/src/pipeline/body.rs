//! Reads a body into memory within three limits: its size, the time it takes to arrive, and the total
//! memory of all bodies. If the operation has no body, the body is read and discarded.

use super::error_response::ErrorResponse;
use crate::config::{Limits, Seconds};
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

impl<P: Copy + Eq + Hash> BufferedBody<P> {
    pub(super) fn empty() -> Self {
        BufferedBody {
            content: Bytes::new(),
            _share: None,
        }
    }
}

/// The budget in bytes for the bodies of all principals. All requests without a principal share the budget
/// as a single principal.
pub(super) type Budget<P> = Arc<Shares<Option<P>>>;

/// Responds with 413 if the `Content-Length` of a body is too large, before any of the body is read.
pub(super) fn check_announced(body: &Body, limits: &Limits) -> Result<(), ErrorResponse> {
    let max = limits.body_max_bytes.get();
    match body.size_hint().exact() {
        Some(length) if length > max as u64 => Err(too_large(max)),
        _ => Ok(()),
    }
}

/// Reads the whole body of a request of a principal. If the body has not arrived yet, `wait` is called,
/// and its result is kept until the body is complete.
pub(super) async fn read<P: Copy + Eq + Hash, W>(
    body: &mut Body,
    limits: &Limits,
    budget: &Budget<P>,
    principal: Option<P>,
    wait: impl FnOnce() -> Result<W, ErrorResponse>,
) -> Result<BufferedBody<P>, ErrorResponse> {
    if body.is_end_stream() {
        return Ok(BufferedBody::empty());
    }
    let time = limits.body_read_seconds;
    let mut content = pin!(collect(body, limits, budget, principal));
    if let Poll::Ready(read) = futures::poll!(content.as_mut()) {
        return read;
    }
    let _waiting = wait()?;
    match tokio::time::timeout(time.duration(), content).await {
        Ok(read) => read,
        Err(_) => Err(too_slow(time)),
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
        let frame = frame.map_err(|_| broken())?;
        // A frame that is not data contains trailers, which are ignored.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        let length = content.len() + data.len();
        if length > max {
            return Err(too_large(max));
        }
        if length > content.capacity() {
            // Reserved bytes also count.
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

/// Takes a share of the budget for the bytes that have arrived, not for the announced length. Otherwise a
/// client could use up the budget by announcing a large body and sending nothing.
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
    let message = "too many request bodies of this key, or of all keys, are in memory; nothing was started, try again in 1 second";
    Err(ErrorResponse::new(Condition::Overloaded, message))
}

pub(super) fn too_slow(time: Seconds) -> ErrorResponse {
    let message = format!("the body did not arrive within {time} seconds; send it without pauses");
    ErrorResponse::new(Condition::RequestTimeout, message)
}

pub(super) fn broken() -> ErrorResponse {
    let message = "the body ended early, or does not match its `Content-Length` or its chunk sizes";
    ErrorResponse::new(Condition::InvalidRequest, message)
}

pub(super) fn too_large(max: usize) -> ErrorResponse {
    let message = format!("the body is larger than {max} bytes; send a smaller one");
    ErrorResponse::new(Condition::PayloadTooLarge, message)
}

#[cfg(test)]
mod tests;
