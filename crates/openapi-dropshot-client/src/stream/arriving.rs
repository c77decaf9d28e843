//! The body of a response as it arrives, with a limit for the time without data.

use crate::{
    ErrorKind,
    error::Failure,
    platform,
    transport::{BodyProblem, Head, Received, media_type},
};
use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture};
use progenitor_client::ByteStream;
use std::{
    task::{Context, Poll, ready},
    time::Duration,
};

/// The body of a response as it arrives.
pub(super) struct Arriving {
    pub(super) head: Box<Head>,
    body: ByteStream,
    idle_timeout: Duration,
    /// Runs while no data arrives.
    pub(super) timer: Option<BoxFuture<'static, ()>>,
}

impl Arriving {
    pub(super) fn new(received: Received, idle_timeout: Duration) -> Self {
        let (head, body) = received.into_stream();
        Arriving {
            head,
            body,
            idle_timeout,
            timer: None,
        }
    }

    /// Returns the next chunk, or why there is none.
    pub(super) fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Failure>>> {
        if let Poll::Ready(chunk) = self.body.poll_next_unpin(context) {
            self.timer = None;
            let broken = |error| Failure::not_read(&self.head, BodyProblem::Broken(error));
            return Poll::Ready(chunk.map(|chunk| chunk.map_err(broken)));
        }
        let limit = self.idle_timeout;
        let new_timer = || Box::pin(platform::sleep(limit)) as BoxFuture<'static, ()>;
        ready!(self.timer.get_or_insert_with(new_timer).poll_unpin(context));
        self.timer = None;
        let message = format!(
            "nothing arrived for {limit:?}, the longest time that this call waits for the next part of a stream; if the service \
             sends less often, raise the limit with `idle_timeout`"
        );
        Poll::Ready(Some(Err(self.error(ErrorKind::Timeout, message))))
    }

    /// Creates an error of the stream or of one of its items.
    pub(super) fn error(&self, kind: ErrorKind, message: String) -> Failure {
        Failure::of_success(&self.head, kind, message)
    }

    /// Creates the error for an item that does not match the document.
    pub(super) fn misfit(&self, number: u64, reason: impl std::fmt::Display) -> Failure {
        let message = format!(
            "item {number} of the stream is not what this version of the client expects: {reason}"
        );
        self.error(ErrorKind::Unreadable, message)
    }

    /// Creates the error for an item with more bytes than the limit.
    pub(super) fn too_large(&self, number: u64, limit: usize) -> Failure {
        let message = format!(
            "item {number} of the stream has more than {limit} bytes, the limit of this call, and was left out; if items of this \
             size are expected, raise the limit with `max_item_bytes`"
        );
        self.error(ErrorKind::TooLarge, message)
    }

    /// Returns an error if the response has another media type that does not mean the same.
    pub(super) fn check_type(
        &self,
        expected: &str,
        means_the_same: impl FnOnce(&str) -> bool,
    ) -> Result<(), Failure> {
        match media_type(&self.head.headers) {
            Some(found) if found != expected && !means_the_same(&found) => {
                let found = crate::error::printable(&found);
                let message = format!(
                    "the response is not a stream: it should be `{expected}` and is `{found}`"
                );
                Err(self.error(ErrorKind::Unreadable, message))
            }
            _ => Ok(()),
        }
    }
}
