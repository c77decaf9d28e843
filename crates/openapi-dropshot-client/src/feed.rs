//! Follows a feed of events: reads it page by page, waits for new events, and continues after temporary errors.

use crate::{
    Error, ErrorCode, Response,
    error::Failure,
    link,
    operation::WAIT,
    pages::{cursor_of, follow},
    prepared::Prepared,
};
use futures_util::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;
use std::{
    future::poll_fn,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

/// The time in seconds that the service may wait for events if the request does not set it.
const SECONDS: &str = "30";
/// The least time between an empty page and the next request if the service does not wait, and the lowest maximum of the pause after an error.
const PAUSE: Duration = Duration::from_secs(1);

/// The events of a feed, one by one and without an end, as a [`Stream`]. The method `feed` of a request returns it.
///
/// The feed waits for new events. After temporary errors ([`Error::is_retryable`]) it continues at the same position, after pauses, and
/// without an end: it does not return these errors. To notice that the service cannot be reached, use
/// [`Interceptor::after_call`](crate::Interceptor::after_call), or a time limit around [`next`](Feed::next). After any other error the
/// stream ends. [`Error::cursor_lost`] says whether the events after the cursor are no longer available.
///
/// Store [`cursor`](Feed::cursor) together with the effect of each event, in one transaction. After a restart, pass it to
/// the `cursor` of the request. Each event then takes effect exactly once.
///
/// ```
/// # use openapi_dropshot_client::{CursorLost, Error, Feed, FeedItem};
/// # async fn example(mut titles: Feed<String>) -> Result<(), Error> {
/// while let Some(item) = titles.next().await {
///     match item {
///         Ok(FeedItem::Known(title)) => println!("{title}, then {:?}", titles.cursor()),
///         Ok(FeedItem::Unknown(other)) => println!("of a newer service: {other}"),
///         Err(error) if error.cursor_lost() == Some(CursorLost::Reset) => println!("list everything again"),
///         Err(error) => return Err(error),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before an event is polled for"]
pub struct Feed<T, C = String> {
    pages: BoxStream<'static, Result<Page, Failure>>,
    events: std::vec::IntoIter<Value>,
    /// The cursor after the events of the last page.
    end: Option<String>,
    cursor: Option<String>,
    types: PhantomData<fn() -> (T, C)>,
}

/// An event of a [`Feed`].
#[derive(Clone, Debug, PartialEq)]
pub enum FeedItem<T> {
    /// An event that this client knows.
    Known(T),
    /// An event that this client cannot read, for example because a newer service has further types. Ignore it.
    Unknown(Value),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for FeedItem<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::read)
    }
}

impl<T: DeserializeOwned> FeedItem<T> {
    fn read(event: Value) -> Self {
        match T::deserialize(&event) {
            Ok(known) => FeedItem::Known(known),
            Err(_) => FeedItem::Unknown(event),
        }
    }
}

/// Why a feed cannot continue at its cursor; see [`Error::cursor_lost`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CursorLost {
    /// The service was restored to an earlier state. Changes that earlier events announced may have been undone.
    Reset,
    /// Events after the cursor were deleted because of their age.
    Expired,
}

/// The events of a page, and the cursor after them.
type Page = (Vec<Value>, Option<String>);

impl<T, C> Feed<T, C> {
    /// Returns the position that the feed has reached: after the event that was returned last, or after a later page without events of
    /// the requested types. Pass it to the `cursor` of a later request, with any types. Before the first page, it is the cursor of the
    /// request, or `None` if the request starts at the beginning of the feed.
    ///
    /// If the feed has only some types, store the position from time to time even without an event: a position that is too old expires.
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Returns the next event of the page that was received last.
    pub(crate) fn next_of_page(&mut self) -> Option<FeedItem<T>>
    where
        T: DeserializeOwned,
    {
        let event = self.events.next()?;
        if let Some(cursor) = event.get("cursor").and_then(Value::as_str) {
            self.cursor = Some(cursor.to_owned());
        }
        // The page may have ended with events of other types.
        if self.events.len() == 0 && self.end.is_some() {
            self.cursor.clone_from(&self.end);
        }
        Some(FeedItem::read(event))
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Feed<T, C> {
    pub(crate) fn new(first: Result<Box<Prepared>, Failure>) -> Self {
        let cursor = cursor_of(&first);
        let first = first.map(|mut first| {
            // The service waits for events, even if the request does not say how long.
            if first.wait().is_none() {
                let url = first.request.url_mut();
                url.query_pairs_mut().append_pair(WAIT, SECONDS);
                first.allow_wait();
            }
            first
        });
        let pages = stream::try_unfold(Some(first), |next| async move {
            let Some(next) = next else { return Ok(None) };
            let (page, next) = fetch::<C>(next?).await?;
            Ok(Some((page, Some(Ok(next)))))
        });
        Feed {
            pages: pages.boxed(),
            events: Vec::new().into_iter(),
            end: None,
            cursor,
            types: PhantomData,
        }
    }

    /// Returns the next event. This is the same as `next` of `StreamExt`, but needs no import.
    ///
    /// It can be used in `select!` and with a time limit: if the future is dropped, no event is lost, and no second request is sent.
    pub async fn next(&mut self) -> Option<Result<FeedItem<T>, Error<C>>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the events as an iterator, for code that is not async.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub fn blocking(self) -> crate::blocking::FeedIter<T, C> {
        crate::blocking::StreamIter::new(self, |feed| feed.next_of_page().map(Ok))
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Stream for Feed<T, C> {
    type Item = Result<FeedItem<T>, Error<C>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(event) = this.next_of_page() {
                return Poll::Ready(Some(Ok(event)));
            }
            match ready!(this.pages.poll_next_unpin(context)) {
                Some(Ok((events, end))) => {
                    if events.is_empty() && end.is_some() {
                        this.cursor.clone_from(&end);
                    }
                    (this.events, this.end) = (events.into_iter(), end);
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error.typed()))),
                None => return Poll::Ready(None),
            }
        }
    }
}

debug_fields!([T, C] Feed<T, C>, cursor(cursor), left_on_page(events.len()));

impl<C: std::fmt::Display> Error<C> {
    /// Returns why a feed cannot continue at its cursor: the status is 410, and the code is `cursor_reset` or
    /// `cursor_expired`. The documentation of the operation says how to synchronise again.
    pub fn cursor_lost(&self) -> Option<CursorLost> {
        let code = self.code().filter(|_| self.status() == Some(410))?;
        match code.to_string().as_str() {
            "cursor_reset" => Some(CursorLost::Reset),
            "cursor_expired" => Some(CursorLost::Expired),
            _ => None,
        }
    }
}

/// Fetches a page, with as many attempts as necessary.
///
/// # Errors
///
/// Returns an error that is not temporary.
async fn fetch<C: ErrorCode>(mut request: Box<Prepared>) -> Result<(Page, Box<Prepared>), Failure> {
    let clock = Arc::clone(&request.client.shared.clock);
    let begun = clock.now();
    let mut failures = 0_u32;
    let received = loop {
        let error = match request.read().await {
            Ok(received) => break received,
            Err(error) if error.is_retryable() => error,
            Err(error) => return Err(error),
        };
        // The pause is random, so that not all consumers reconnect at the same time.
        let ceiling = request.settings().retry.ceiling(failures).max(PAUSE);
        let asked = error.retry_after().unwrap_or_default();
        let pause = asked.saturating_add(clock.jitter(ceiling));
        clock.sleep(pause).await;
        failures = failures.saturating_add(1);
    };
    let response: Response<Vec<Value>, C> = Response::json(received)?;
    let Some(target) = link::next(response.headers()) else {
        return Err(response.unreadable("the response has no link to the next page of the feed"));
    };
    let end = link::cursor(&target);
    let url = request.request.url().clone();
    let moved = match follow(&url, &target) {
        Ok(next) => {
            *request.request.url_mut() = next;
            true
        }
        // Nothing has happened while the service waited.
        Err(_) if url.join(&target).is_ok_and(|same| same == url) => false,
        Err(reason) => return Err(response.unreadable(reason)),
    };
    let events = response.into_inner();
    let waits = request.wait().is_some_and(|wait| !wait.is_zero());
    if events.is_empty() && !(moved && waits) {
        // A service that did not wait is not asked again at once.
        let elapsed = clock.now().saturating_duration_since(begun);
        clock.sleep(PAUSE.saturating_sub(elapsed)).await;
    }
    Ok(((events, end), request))
}
