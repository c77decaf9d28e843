//! Server-sent events: a stream that reconnects when its connection ends, and continues after the last event.

use super::{
    accept,
    arriving::Arriving,
    event_decoder::{EventDecoder, RawEvent},
};
use crate::{
    Error, ErrorCode, ErrorKind, Response, RetryPolicy,
    error::Failure,
    platform::Instant,
    prepared::Prepared,
    record::{Record, RetryStop},
    response::reason,
    transport::Received,
};
use bytes::Bytes;
use futures_util::{FutureExt as _, Stream, future::BoxFuture};
use http::{HeaderName, HeaderValue, StatusCode};
use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

const MEDIA_TYPE: &str = "text/event-stream";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// An event of an [`EventStream`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<T> {
    /// The id of this event, or of the last earlier event that had an id. `None` if no event had one.
    pub id: Option<String>,
    /// The type of the event; `message` if it has none.
    pub event: String,
    /// Its data.
    pub data: T,
}

/// Server-sent events, one after the other as they arrive, as a [`Stream`].
///
/// When the connection ends, breaks, or is idle for longer than
/// [`CallOptions::idle_timeout`](crate::CallOptions::idle_timeout), the stream reconnects and continues after the last event:
///
/// - It sends the id of the last event in `Last-Event-ID`. Whether events are missed depends on how long the service keeps them.
/// - Before that, it pauses for the time that the service requested in `retry` or `Retry-After`, and then for a random time up to
///   a maximum that grows with each attempt, as the [`RetryPolicy`] says. Pauses that the service requests for all calls also
///   apply.
/// - An attempt is a call with one try. It uses the current credentials, and has the interceptors and the span of a call.
/// - It stops after [`CallOptions::max_reconnects`](crate::CallOptions::max_reconnects) failed attempts in a row, and after any
///   error for which a call is not retried. The last result is then that error. A connection that delivered an event, or that
///   lasted for longer than the longest pause of the policy, resets this count. In a row of attempts, all except the first one use
///   the [`RetryBudget`](crate::RetryBudget).
///
/// The stream ends when the service responds with 204. If the request is not safe to repeat, as for `POST`, the stream ends with its
/// connection.
///
/// To continue after a restart, an application must store [`last_event_id`](EventStream::last_event_id).
///
/// ```
/// # use openapi_dropshot_client::{Error, ErrorKind, stream::EventStream};
/// # async fn example(mut titles: EventStream<String>) -> Result<(), Error> {
/// // client.watch_titles().last_event_id(stored).send().await?.into_inner()
/// while let Some(event) = titles.next().await {
///     match event {
///         Ok(event) => println!("{} {}", event.event, event.data),
///         // The next event may be readable.
///         Err(error) if error.kind() == ErrorKind::Unreadable => eprintln!("{error}"),
///         Err(error) => return Err(error),
///     }
///     println!("continue after {:?}; {} connections so far", titles.last_event_id(), titles.reconnects() + 1);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "events arrive when they are polled for"]
pub struct EventStream<T, C = String> {
    state: State,
    decoder: EventDecoder,
    read: fn(&str, &str) -> serde_json::Result<T>,
    codes: std::marker::PhantomData<fn() -> C>,
    /// How many events have arrived.
    count: u64,
    /// How many attempts to reconnect were made in a row.
    attempts: u32,
    reconnects: u64,
    /// The policy for the pauses. Each attempt has only one try.
    policy: RetryPolicy,
}

enum State {
    Open(Connection),
    Connecting(BoxFuture<'static, (Box<Prepared>, Result<Received, Failure>)>),
    Ended,
}

struct Connection {
    request: Box<Prepared>,
    arriving: Arriving,
    since: Instant,
}

impl<T, C> EventStream<T, C> {
    /// Returns the id of the last event that was returned, or of a later event without data. With this id as `Last-Event-ID`,
    /// another request can continue. Before the first event, it is the id of the request.
    pub fn last_event_id(&self) -> Option<&str> {
        Some(&*self.decoder.last_event_id).filter(|id| !id.is_empty())
    }

    /// Returns how often the stream has started to reconnect.
    pub fn reconnects(&self) -> u64 {
        self.reconnects
    }
}

impl<T, C: ErrorCode> EventStream<T, C> {
    pub(crate) async fn send(
        request: Result<Box<Prepared>, Failure>,
        read: fn(&str, &str) -> serde_json::Result<T>,
    ) -> Result<Response<Self, C>, Failure> {
        let mut request = request?;
        request.is_streamed = true;
        request.may_have_no_content = true;
        accept(&mut request, MEDIA_TYPE);
        let id = request.request.headers().get(LAST_EVENT_ID);
        let id = id.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
        let received = request.send().await?;
        let head = received.head.clone();
        let limit = request.settings().max_item_bytes;
        let mut events = EventStream {
            state: State::Ended,
            decoder: EventDecoder::new(limit, id.unwrap_or_default()),
            read,
            codes: std::marker::PhantomData,
            count: 0,
            attempts: 0,
            reconnects: 0,
            policy: request.settings().retry.clone(),
        };
        events.open(request, received)?;
        Ok(Response::new(events, head, Bytes::new()))
    }

    /// Returns the next event; `None` after the last one. This is the same as `next` of `StreamExt`, but needs no import.
    pub async fn next(&mut self) -> Option<Result<Event<T>, Error<C>>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the events as an iterator, for code that is not async.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub fn blocking(self) -> crate::blocking::StreamIter<Self>
    where
        T: Send + 'static,
    {
        crate::blocking::StreamIter::new(self, Self::next_of_chunk)
    }

    /// Continues with a response, if it is an event stream.
    fn open(&mut self, request: Box<Prepared>, received: Received) -> Result<(), Failure> {
        if received.head.status == StatusCode::NO_CONTENT {
            return Ok(());
        }
        let since = request.client.shared.clock.now();
        let arriving = Arriving::new(received, request.settings().idle_timeout);
        arriving.check_type(MEDIA_TYPE, |_| false)?;
        self.state = State::Open(Connection {
            request,
            arriving,
            since,
        });
        Ok(())
    }

    /// Returns the next event of the chunk that arrived last.
    pub(crate) fn next_of_chunk(&mut self) -> Option<Result<Event<T>, Error<C>>> {
        let State::Open(Connection { arriving, .. }) = &self.state else {
            return None;
        };
        let event = self.decoder.next()?;
        self.count += 1;
        self.attempts = 0;
        let event = match event {
            RawEvent::Event { name, data } => match (self.read)(&name, &data) {
                Ok(data) => Ok(Event {
                    id: self.last_event_id().map(str::to_owned),
                    event: name,
                    data,
                }),
                Err(error) => Err(arriving.misfit(self.count, reason(&error))),
            },
            RawEvent::TooLarge => Err(arriving.too_large(self.count, self.decoder.limit)),
        };
        Some(event.map_err(Failure::typed))
    }

    /// Ends the connection. Returns the last result of the stream, unless the stream reconnects.
    fn close(&mut self, connection: Connection, cause: Option<Failure>) -> Option<Failure> {
        let Connection {
            request,
            arriving,
            since,
        } = connection;
        if !request.request.method().is_safe() || request.settings().max_reconnects == 0 {
            return cause;
        }
        let now = request.client.shared.clock.now();
        if now.saturating_duration_since(since) > self.policy.ceiling(u32::MAX) {
            self.attempts = 0;
        }
        let cause = cause.unwrap_or_else(|| {
            let message = "the service ended the stream of events";
            arriving.error(ErrorKind::Interrupted, message.to_owned())
        });
        self.reconnect(request, cause)
    }

    /// Starts the next attempt to reconnect after this error, or returns the error if no attempt is left.
    fn reconnect(&mut self, mut request: Box<Prepared>, cause: Failure) -> Option<Failure> {
        let shared = Arc::clone(&request.client.shared);
        let stop = match self.attempts {
            attempts if attempts >= request.settings().max_reconnects => Some(RetryStop::Tries),
            1.. if !shared.budget.spend() => Some(RetryStop::Budget),
            _ => None,
        };
        if stop.is_some() {
            let record = Record {
                retries: self.attempts,
                stop,
                ..cause.record().clone()
            };
            return Some(cause.of_call(&record));
        }
        let asked = cause.retry_after().into_iter().chain(self.decoder.retry);
        let jitter = shared.clock.jitter(self.policy.ceiling(self.attempts));
        let pause = asked.max().unwrap_or_default().saturating_add(jitter);
        self.attempts += 1;
        self.reconnects += 1;
        tracing::debug!(
            client = shared.service.package,
            operation = request.operation.id,
            attempt = self.attempts,
            pause_ms = pause.as_millis(),
            last_event_id = self.last_event_id(),
            reason = %cause,
            "the stream of events ended; reconnecting",
        );
        self.decoder.reconnect();
        let one_try = self.policy.clone().max_tries(1);
        request.change_settings(|settings| settings.retry = one_try);
        let headers = request.request.headers_mut();
        // An id that cannot be a header value cannot be sent back; the stream then continues with new events only.
        match HeaderValue::from_bytes(self.decoder.last_event_id.as_bytes()) {
            Ok(id) if !id.is_empty() => headers.insert(LAST_EVENT_ID, id),
            _ => headers.remove(LAST_EVENT_ID),
        };
        let connecting = async move {
            shared.clock.sleep(pause).await;
            let received = request.send().await;
            (request, received)
        };
        self.state = State::Connecting(connecting.boxed());
        None
    }
}

impl<T, C: ErrorCode> Stream for EventStream<T, C> {
    type Item = Result<Event<T>, Error<C>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.next_of_chunk() {
                return Poll::Ready(Some(event));
            }
            let last = match &mut this.state {
                State::Ended => return Poll::Ready(None),
                State::Open(connection) => match ready!(connection.arriving.poll_next(context)) {
                    Some(Ok(chunk)) => {
                        this.decoder.push(&chunk);
                        continue;
                    }
                    end => match std::mem::replace(&mut this.state, State::Ended) {
                        State::Open(connection) => {
                            let cause = end.and_then(Result::err);
                            this.close(connection, cause)
                        }
                        _ => None,
                    },
                },
                State::Connecting(connecting) => {
                    let (request, received) = ready!(connecting.poll_unpin(context));
                    this.state = State::Ended;
                    match received {
                        Ok(received) => this.open(request, received).err(),
                        Err(error) if error.retry_stop() == Some(RetryStop::Tries) => {
                            this.reconnect(request, error)
                        }
                        Err(error) => Some(error),
                    }
                }
            };
            if let Some(error) = last {
                return Poll::Ready(Some(Err(error.typed())));
            }
        }
    }
}

debug_fields!(
    [T, C] EventStream<T, C>,
    last_event_id(last_event_id()),
    count(count),
    reconnects(reconnects),
);
