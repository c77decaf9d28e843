//! Sends streamed responses: within the limit of streams, one part at a time, and with heartbeats. Ends a stream if it is idle, if
//! it is too old, or if the server stops.

use super::{
    body::Budget,
    error_response::ErrorResponse,
    unsent::{SMALL, Watched},
};
use crate::{
    config::Limits,
    connections::{Activity, Sending},
    permits::{StreamPlace, StreamPlaces},
    readiness::Readiness,
};
use bytes::{Bytes, BytesMut};
use dropshot::Body;
use fair_shares::Share;
use futures::{FutureExt as _, future::BoxFuture, task::AtomicWaker};
use http::{Response, Version};
use hyper::body::{Body as HttpBody, Frame};
use openapi_dropshot_types::{Condition, StreamFormat};
use std::{
    any::Any,
    error::Error,
    hash::Hash,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, Sleep};

/// A comment, which clients ignore.
const HEARTBEAT: &[u8] = b":\n\n";
/// After this many bytes, a stream lets other requests run, even if its client reads everything at once.
const SENT_AT_ONCE: usize = 64 << 10;
/// While the server stops, a JSON stream may wait this long for its next item, so that a finite stream can end.
const PAUSE_AT_END: Duration = Duration::from_secs(1);

type BoxError = Box<dyn Error + Send + Sync>;

/// The parts of the server that a stream needs.
pub(super) struct Serving<'a, P: Copy + Eq + Hash> {
    pub(super) limits: &'a Limits,
    pub(super) budget: &'a Budget<P>,
    pub(super) principal: Option<P>,
    pub(super) readiness: &'a Arc<Readiness>,
    pub(super) activity: &'a Activity,
    pub(super) version: Version,
}

/// Takes a permit for a stream. If no permit is free, the request is rejected before it starts.
pub(super) fn place<P: Copy + Eq + Hash>(
    places: &StreamPlaces<P>,
    principal: Option<P>,
) -> Result<StreamPlace<P>, ErrorResponse> {
    places.take(principal).ok_or_else(|| {
        let message = "too many streams are open for this key, or for all keys; nothing was started, end a stream or try again in 1 second";
        ErrorResponse::new(Condition::Overloaded, message)
    })
}

/// Sends a streamed response within its limits, until `revoked` returns. `kept` is dropped when the stream ends.
pub(super) fn open<P>(
    response: Response<Body>,
    format: StreamFormat,
    serving: &Serving<'_, P>,
    revoked: BoxFuture<'static, ()>,
    kept: impl Any + Send + Sync,
) -> Response<Body>
where
    P: Copy + Eq + Hash + Send + Sync + Unpin + 'static,
{
    let (mut head, items) = response.into_parts();
    head.extensions.insert(Watched);
    let (limits, now) = (serving.limits, Instant::now());
    let readiness = Arc::clone(serving.readiness);
    let stopped = async move { readiness.stopped().await }.boxed();
    let heartbeat = limits.stream_heartbeat_seconds.duration();
    let mut stream = OpenStream {
        items,
        format,
        heartbeat: (format == StreamFormat::Events).then_some(heartbeat),
        idle: limits.stream_idle_seconds.duration(),
        last_item: now,
        last_part: now,
        end: now + limits.stream_max_seconds.duration(),
        timer: Box::pin(tokio::time::sleep_until(now)),
        stopped: Mutex::new(Some(stopped)),
        revoked: Mutex::new(revoked),
        taken: Arc::new(Taken::default()),
        budget: Arc::clone(serving.budget),
        principal: serving.principal,
        activity: serving.activity.another(),
        version: serving.version,
        sent_in_turn: 0,
        is_ended: false,
        _kept: Box::new(kept),
    };
    stream.set_timer();
    Response::from_parts(head, Body::wrap(stream))
}

/// Whether the client has read the last part.
#[derive(Default)]
struct Taken {
    is_waiting: AtomicBool,
    waker: AtomicWaker,
}

/// A part, which is dropped when it was passed to the socket.
struct Part<P: Copy + Eq + Hash> {
    content: Bytes,
    taken: Arc<Taken>,
    _sending: Sending,
    _share: Option<Share<Option<P>>>,
}

impl<P: Copy + Eq + Hash> AsRef<[u8]> for Part<P> {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

impl<P: Copy + Eq + Hash> Drop for Part<P> {
    fn drop(&mut self) {
        self.taken.is_waiting.store(false, Ordering::SeqCst);
        self.taken.waker.wake();
    }
}

struct OpenStream<P: Copy + Eq + Hash> {
    /// A body of which each frame is an item.
    items: Body,
    format: StreamFormat,
    heartbeat: Option<Duration>,
    idle: Duration,
    last_item: Instant,
    last_part: Instant,
    end: Instant,
    timer: Pin<Box<Sleep>>,
    /// Completes when the server stops; `None` after it has completed.
    stopped: Mutex<Option<BoxFuture<'static, ()>>>,
    /// Completes when the principal may no longer have the stream.
    revoked: Mutex<BoxFuture<'static, ()>>,
    taken: Arc<Taken>,
    budget: Budget<P>,
    principal: Option<P>,
    /// Keeps the connection from being idle.
    activity: Activity,
    version: Version,
    /// How many bytes were sent since other requests could last run.
    sent_in_turn: usize,
    is_ended: bool,
    _kept: Box<dyn Any + Send + Sync>,
}

impl<P> OpenStream<P>
where
    P: Copy + Eq + Hash + Send + Sync + 'static,
{
    /// Sets the timer to the next event: a heartbeat, or the end.
    fn set_timer(&mut self) {
        let end = self.end.min(self.last_item + self.idle);
        let heartbeat = self.heartbeat.map(|pause| self.last_part + pause);
        let next = heartbeat.map_or(end, |heartbeat| heartbeat.min(end));
        self.timer.as_mut().reset(next);
    }

    /// Whether the server stops.
    fn is_stopping(&mut self, task: &mut Context<'_>) -> bool {
        let stopped = self.stopped.get_mut();
        let stopped = stopped.unwrap_or_else(PoisonError::into_inner);
        if let Some(future) = stopped
            && future.poll_unpin(task).is_ready()
        {
            *stopped = None;
            // A stream that has already waited for this long is not about to end.
            self.idle = self.idle.min(PAUSE_AT_END);
            self.last_item = Instant::now();
        }
        stopped.is_none()
    }

    fn is_revoked(&mut self, task: &mut Context<'_>) -> bool {
        let revoked = self.revoked.get_mut();
        let revoked = revoked.unwrap_or_else(PoisonError::into_inner);
        revoked.poll_unpin(task).is_ready()
    }

    /// Takes the items that are ready, up to the size of a part.
    fn ready_items(&mut self, task: &mut Context<'_>) -> (BytesMut, Option<Option<BoxError>>) {
        let mut content = BytesMut::new();
        while content.len() < SMALL as usize {
            match Pin::new(&mut self.items).poll_frame(task) {
                Poll::Pending => return (content, None),
                Poll::Ready(None) => return (content, Some(None)),
                Poll::Ready(Some(Err(error))) => return (content, Some(Some(error))),
                Poll::Ready(Some(Ok(frame))) => {
                    content.extend_from_slice(&frame.into_data().unwrap_or_default());
                }
            }
        }
        (content, None)
    }

    /// Passes a part on. A large item counts as one of the large responses that wait for their clients.
    fn send(&mut self, content: Bytes) -> Result<Frame<Bytes>, BoxError> {
        let is_large = content.len() > 2 * SMALL as usize;
        let share = is_large.then(|| self.budget.try_take(&self.principal, content.len()));
        if matches!(share, Some(None)) {
            return Err("too many responses have not been read yet".into());
        }
        self.last_part = Instant::now();
        self.sent_in_turn += content.len();
        self.set_timer();
        self.taken.is_waiting.store(true, Ordering::SeqCst);
        let part = Part {
            content,
            taken: Arc::clone(&self.taken),
            _sending: self.activity.begin_sending(self.version),
            _share: share.flatten(),
        };
        Ok(Frame::data(Bytes::from_owner(part)))
    }

    /// Ends the stream. Clients of server-sent events reconnect by themselves; clients of JSON streams must be able to see that the
    /// stream is incomplete.
    fn cut(&mut self, reason: &str) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.is_ended = true;
        Poll::Ready(match self.format {
            StreamFormat::Events => None,
            _ => Some(Err(reason.into())),
        })
    }
}

impl<P> HttpBody for OpenStream<P>
where
    P: Copy + Eq + Hash + Send + Sync + Unpin + 'static,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let stream = self.get_mut();
        if stream.is_ended {
            return Poll::Ready(None);
        }
        stream.taken.waker.register(task.waker());
        if stream.taken.is_waiting.load(Ordering::SeqCst) {
            return Poll::Pending;
        }
        if stream.sent_in_turn >= SENT_AT_ONCE {
            stream.sent_in_turn = 0;
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let is_stopping = stream.is_stopping(task);
        if is_stopping && stream.format == StreamFormat::Events {
            return stream.cut("the server is stopping");
        }
        if stream.is_revoked(task) {
            return stream.cut("the credential is no longer valid");
        }
        if stream.end <= Instant::now() {
            return stream.cut("the stream is older than `stream-max-seconds`");
        }
        let (content, end) = stream.ready_items(task);
        if !content.is_empty() {
            // If the stream ended at the same time, the next call reports it.
            stream.last_item = Instant::now();
            if let Some(end) = end {
                stream.items = ended(end);
            }
            return Poll::Ready(Some(stream.send(content.freeze())));
        }
        if let Some(end) = end {
            stream.is_ended = true;
            return Poll::Ready(end.map(|error| {
                tracing::error!("a stream failed: {error}");
                Err(error)
            }));
        }
        stream.set_timer();
        if stream.timer.as_mut().poll(task).is_pending() {
            return Poll::Pending;
        }
        let now = Instant::now();
        if stream.end <= now || stream.last_item + stream.idle <= now {
            return stream.cut("the stream had no item for too long");
        }
        Poll::Ready(Some(stream.send(Bytes::from_static(HEARTBEAT))))
    }
}

/// A body that has ended, with or without an error.
fn ended(end: Option<BoxError>) -> Body {
    let frames = end.map(Err::<Frame<Bytes>, _>);
    let frames = http_body_util::StreamBody::new(futures::stream::iter(frames));
    Body::wrap(frames)
}
