//! Passes a body to its handler as it arrives, within limits for its size and for the pauses of the client. If the body has an
//! error, this error determines the response, whatever the handler returns.

use super::{body, drain, error_response::ErrorResponse};
use crate::config::{Limits, Seconds};
use bytes::Bytes;
use dropshot::Body;
use futures::{FutureExt as _, future::BoxFuture};
use http::StatusCode;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use openapi_dropshot_types::{BodyFault, Condition};
use std::{
    any::Any,
    error::Error,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep};

type BoxError = Box<dyn Error + Send + Sync>;

/// Why an upload ended early.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Fault {
    TooLarge,
    Slow,
    Broken,
    Revoked,
}

/// The state of an upload.
struct Progress {
    last_part: Instant,
    is_complete: bool,
    fault: Option<Fault>,
}

/// The part of an upload that the pipeline keeps.
pub(super) struct Upload {
    progress: Arc<Mutex<Progress>>,
    /// The error that the generated types found in the body.
    invalid: BodyFault,
    size: usize,
    pause: Seconds,
    /// How long the handler may run after the last part.
    deadline: Duration,
    end: Instant,
}

impl Upload {
    /// Creates the body for the handler. It ends with an error when `revoked` returns. `kept` is dropped when no more of the body
    /// will be read.
    pub(super) fn start(
        body: Body,
        limits: &Limits,
        invalid: BodyFault,
        revoked: BoxFuture<'static, ()>,
        is_drained: bool,
        kept: impl Any + Send + Sync,
    ) -> (Self, Body) {
        let now = Instant::now();
        let progress = Arc::new(Mutex::new(Progress {
            last_part: now,
            is_complete: false,
            fault: None,
        }));
        let upload = Upload {
            progress: Arc::clone(&progress),
            invalid,
            size: limits.body_max_bytes.get(),
            pause: limits.body_read_seconds,
            deadline: limits.request_deadline_seconds.duration(),
            end: now + limits.stream_max_seconds.duration(),
        };
        let pause = limits.body_read_seconds.duration();
        let body = Body::wrap(Arriving {
            body,
            progress,
            left: upload.size,
            pause,
            timer: Box::pin(tokio::time::sleep(pause)),
            is_waiting: false,
            revoked: Mutex::new(revoked),
            is_drained,
            kept: Some(Box::new(kept)),
        });
        (upload, body)
    }

    /// Returns until when the handler may run, depending on how much of the body has arrived.
    pub(super) fn deadline(&self) -> Instant {
        let progress = self.progress.lock();
        let progress = progress.unwrap_or_else(PoisonError::into_inner);
        let pause = match progress.is_complete {
            true => Duration::ZERO,
            false => self.pause.duration(),
        };
        (progress.last_part + pause + self.deadline).min(self.end + self.deadline)
    }

    /// Returns the response for an error of the body, unless the handler succeeded without reading the rest.
    pub(super) fn check(&self, status: Option<StatusCode>) -> Result<(), ErrorResponse> {
        let progress = self.progress.lock();
        let progress = progress.unwrap_or_else(PoisonError::into_inner);
        if status.is_some_and(|status| status.is_success()) {
            return Ok(());
        }
        match (progress.fault, self.invalid.get()) {
            (Some(fault), _) => Err(match fault {
                Fault::TooLarge => body::too_large(self.size),
                Fault::Slow => body::too_slow(self.pause),
                Fault::Broken => body::broken(),
                Fault::Revoked => ErrorResponse::new(
                    Condition::Unauthorized,
                    "the credential was revoked while the body arrived; send another one",
                ),
            }),
            (None, Some((condition, message))) => {
                Err(ErrorResponse::new(*condition, message.clone()))
            }
            (None, None) => Ok(()),
        }
    }
}

/// The body that the handler reads.
struct Arriving {
    body: Body,
    progress: Arc<Mutex<Progress>>,
    /// How many bytes may still arrive.
    left: usize,
    pause: Duration,
    timer: Pin<Box<Sleep>>,
    /// Whether the handler waits for the client.
    is_waiting: bool,
    /// Completes when the principal may not send more.
    revoked: Mutex<BoxFuture<'static, ()>>,
    is_drained: bool,
    kept: Option<Box<dyn Any + Send + Sync>>,
}

impl Arriving {
    fn note(&mut self, is_complete: bool, fault: Option<Fault>) {
        let progress = self.progress.lock();
        let mut progress = progress.unwrap_or_else(PoisonError::into_inner);
        progress.last_part = Instant::now();
        progress.is_complete |= is_complete || fault.is_some();
        progress.fault = progress.fault.or(fault);
    }

    fn fail<T>(&mut self, fault: Fault, reason: &str) -> Poll<Option<Result<T, BoxError>>> {
        self.note(true, Some(fault));
        Poll::Ready(Some(Err(reason.into())))
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let upload = self.get_mut();
        let revoked = upload.revoked.get_mut();
        let revoked = revoked.unwrap_or_else(PoisonError::into_inner);
        if revoked.poll_unpin(task).is_ready() {
            return upload.fail(Fault::Revoked, "the credential was revoked");
        }
        match Pin::new(&mut upload.body).poll_frame(task) {
            Poll::Ready(Some(Ok(frame))) => {
                upload.is_waiting = false;
                let size = frame.data_ref().map_or(0, Bytes::len);
                let Some(left) = upload.left.checked_sub(size) else {
                    return upload.fail(Fault::TooLarge, "the body is too large");
                };
                upload.left = left;
                let is_complete = upload.body.is_end_stream();
                upload.note(is_complete, None);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(_))) => upload.fail(Fault::Broken, "the body was interrupted"),
            Poll::Ready(None) => {
                upload.note(true, None);
                Poll::Ready(None)
            }
            Poll::Pending => {
                if !upload.is_waiting {
                    // The time that the handler took for the previous part does not count against the client.
                    upload.is_waiting = true;
                    upload.timer.as_mut().reset(Instant::now() + upload.pause);
                }
                match upload.timer.as_mut().poll(task) {
                    Poll::Ready(()) => upload.fail(Fault::Slow, "the body did not arrive in time"),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        // The handler may have responded without reading the whole body.
        if self.is_drained && !self.body.is_end_stream() {
            let body = mem::replace(&mut self.body, Body::empty());
            drain::start(body, drain::TIME, self.kept.take());
        }
    }
}
