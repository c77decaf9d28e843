//! Lists events: reads a page of the event feed, or waits until there are events.

use super::{RequestContext, failed, store};
use dropshot::{HttpResponseHeaders, HttpResponseOk};
use futures::FutureExt as _;
use openapi_dropshot_server::{StateFailure as _, feed::FeedCursor};
use petstore_api::{ListEventsError, StreamEventsError};
use petstore_models::{Events, ListEventsOkHeaders, ListEventsQuery};
use petstore_store::{CursorLost, EventPage, EventQuery, EventsAfter, Store};
use std::{sync::Arc, time::Duration};

/// The cursor after the newest event.
const NOW: &str = "now";

/// Why events cannot be read.
pub(super) enum NoEvents {
    /// This service did not create the cursor.
    InvalidCursor,
    NotRecorded,
    Lost(CursorLost),
}

macro_rules! from_no_events {
    ($($error:ident),+) => {$(
        impl From<NoEvents> for $error {
            fn from(reason: NoEvents) -> Self {
                match reason {
                    NoEvents::InvalidCursor => $error::InvalidRequest("`cursor` was not created by this service for events; use `now`, the `cursor` of an event, or the `Link` header of an earlier response".into()),
                    NoEvents::NotRecorded => $error::NotFound("this service does not record events; ask its owner to switch them on".into()),
                    NoEvents::Lost(CursorLost::Reset) => $error::CursorReset("the store was replaced by an older copy since this cursor was made; begin with `cursor=now`, list all pets and orders, and apply events by their `version`".into()),
                    NoEvents::Lost(CursorLost::Expired) => $error::CursorExpired("the events after this cursor were deleted; begin with `cursor=now`, list all pets and orders, and apply events by their `version`".into()),
                }
            }
        }
    )+};
}

from_no_events!(ListEventsError, StreamEventsError);

/// Returns the cursor at which a page or a stream begins.
pub(super) fn begin(rqctx: &RequestContext, cursor: Option<&str>) -> Result<EventsAfter, NoEvents> {
    let after = match cursor {
        None => EventsAfter::Number(0),
        Some(NOW) => EventsAfter::Newest,
        Some(cursor) => {
            EventsAfter::Event(FeedCursor::decode(cursor).ok_or(NoEvents::InvalidCursor)?)
        }
    };
    match store(rqctx).records_events() {
        true => Ok(after),
        false => Err(NoEvents::NotRecorded),
    }
}

type Response = HttpResponseHeaders<HttpResponseOk<Events>, ListEventsOkHeaders>;

pub(super) async fn list(
    rqctx: &RequestContext,
    query: ListEventsQuery,
) -> Result<Response, ListEventsError> {
    let after = begin(rqctx, query.cursor.as_ref().map(|cursor| cursor.as_str()))?;
    let (limit, wait) = (query.limit.get(), query.wait.get());
    let types = query.type_.map(Vec::from).unwrap_or_default();
    let mut link = format!("<?limit={limit}");
    if !types.is_empty() {
        let types: Vec<_> = types.iter().map(|kind| kind.as_str()).collect();
        link += &format!("&type={}", types.join(","));
    }
    if wait > 0 {
        link += &format!("&wait={wait}");
    }
    let query = EventQuery {
        after,
        types,
        limit: usize::try_from(limit).expect("a limit is at least 1 and at most 500"),
    };
    let wait = Duration::from_secs(wait.unsigned_abs());
    let EventPage { events, next, .. } = page(rqctx, query, wait).await?;
    let events = events.into_iter().map(|stored| stored.event).collect();
    link += &format!("&cursor={}>; rel=\"next\"", next.encode());
    Ok(HttpResponseHeaders::new(
        HttpResponseOk(Events(events)),
        ListEventsOkHeaders { link: Some(link) },
    ))
}

/// Reads a page. If it is empty, waits for at most the given time until there are events.
async fn page(
    rqctx: &RequestContext,
    mut query: EventQuery,
    wait: Duration,
) -> Result<EventPage, ListEventsError> {
    let context = rqctx.context();
    let mut news = context.state().news().subscribe();
    let mut waiting = None;
    loop {
        let page = store(rqctx).list_events(query.clone()).await;
        let page = page.map_err(failed::<ListEventsError>(rqctx))?;
        let page = page.map_err(NoEvents::Lost)?;
        if wait.is_zero() || !page.events.is_empty() {
            return Ok(page);
        }
        // Events that were already read and did not match are not read again.
        query.after = EventsAfter::Event(page.next);
        if waiting.is_none() {
            let begun = context.begin_wait(rqctx, wait);
            waiting = Some(begun.ok_or_else(|| {
                let message = "too many requests of this key, or of all keys, are waiting for events; nothing was started, try again in 1 second";
                ListEventsError::overloaded(message.into())
            })?);
        }
        let shared = context.state().share();
        let newest = move || newest(shared.clone()).boxed();
        if let Some(waiting) = &waiting
            && !page.more
            && waiting.until(news.changed(newest)).await.is_none()
        {
            return Ok(page);
        }
    }
}

/// Returns the position of the newest event.
pub(super) async fn newest(store: Arc<dyn Store>) -> Option<i64> {
    let query = EventQuery {
        after: EventsAfter::Newest,
        types: Vec::new(),
        limit: 1,
    };
    let page = store.list_events(query).await.ok()?;
    Some(page.ok()?.next.position)
}
