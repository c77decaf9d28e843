//! Sends streamed responses: all pets, and the events as they happen. Both are read from the store page by page, at the
//! speed at which the client reads them.

use super::{
    RequestContext,
    events::{NoEvents, begin, newest},
    failed, store,
};
use futures::{FutureExt as _, Stream, StreamExt as _, TryStreamExt as _, stream};
use openapi_dropshot_server::feed::Subscription;
use openapi_dropshot_types::{Event, Streamed};

use petstore_api::{ExportPetsError, ExportPetsOk, StreamEventsError, StreamEventsOk};
use petstore_models::{Event as AnyEvent, EventType, ExportPetsQuery, StreamEventsQuery};
use petstore_store::{
    CursorLost, EventPage, EventQuery, EventsAfter, PetPage, PetQuery, Store, StoreError,
};
use std::{error::Error, sync::Arc, time::Duration};
use tokio::time::Instant;

/// How many pets or events are read from the store at once.
const PAGE: usize = 100;
/// If the store is not available, it is read again after this time.
const PAUSE: Duration = Duration::from_secs(1);
/// The least time between two ids that are sent without events.
const CHECKPOINTS: Duration = Duration::from_secs(10);

type BoxError = Box<dyn Error + Send + Sync>;

/// Streams all pets. The first page is read before the response begins, so that a failure can still be an error response.
pub(super) async fn export_pets(
    rqctx: &RequestContext,
    query: ExportPetsQuery,
) -> Result<ExportPetsOk, ExportPetsError> {
    let query = PetQuery {
        after: query.after,
        status: query.status,
        limit: PAGE,
    };
    let first = store(rqctx).list_pets(query).await;
    let first = first.map_err(failed::<ExportPetsError>(rqctx))?;
    let store = rqctx.context().state().share();
    let pages = stream::try_unfold(Some((query, Some(first))), move |next| {
        let store = Arc::clone(&store);
        async move {
            let Some((mut query, first)) = next else {
                return Ok(None);
            };
            let PetPage { pets, more } = match first {
                Some(page) => page,
                None => until_available(|| store.list_pets(query)).await?,
            };
            query.after = pets.last().map(|pet| pet.id);
            let pets = stream::iter(pets.into_iter().map(Ok::<_, StoreError>));
            Ok(Some((pets, more.then_some((query, None)))))
        }
    });
    Ok(ExportPetsOk(Streamed::fallible(pages.try_flatten())))
}

/// Streams the events after a cursor, including those that happen later.
pub(super) async fn events(
    rqctx: &RequestContext,
    query: StreamEventsQuery,
    last_event_id: Option<&str>,
) -> Result<StreamEventsOk, StreamEventsError> {
    let StreamEventsQuery { cursor, type_ } = query;
    let cursor = cursor.as_ref().map(|cursor| cursor.as_str());
    let after = begin(rqctx, last_event_id.or(cursor))?;
    let types = type_.map(Vec::from).unwrap_or_default();
    let state = rqctx.context().state();
    let news = state.news().subscribe();
    let mut following = Following {
        store: state.share(),
        news,
        after,
        types,
        has_more: true,
        last_id: Instant::now(),
    };
    let first = following.read().await;
    let first = first.map_err(failed::<StreamEventsError>(rqctx))?;
    let first = first.map_err(NoEvents::Lost)?;
    let first = following.events(first, true);
    let later = stream::try_unfold(following, Following::next);
    Ok(StreamEventsOk(Streamed::fallible(
        first.chain(later.try_flatten()),
    )))
}

/// A client that follows the events.
struct Following {
    store: Arc<dyn Store>,
    news: Subscription,
    after: EventsAfter,
    types: Vec<EventType>,
    /// Whether the store may already contain events after `after`.
    has_more: bool,
    /// When an id was last sent to the client.
    last_id: Instant,
}

impl Following {
    /// Returns the next events as soon as there are any. The stream ends if events that the client has not received were
    /// deleted; the next request of the client then gets an error that says so.
    async fn next(
        mut self,
    ) -> Result<Option<(impl Stream<Item = Result<Event<AnyEvent>, BoxError>>, Self)>, BoxError>
    {
        if !self.has_more {
            let store = Arc::clone(&self.store);
            let newest = move || newest(store.clone()).boxed();
            self.news.changed(newest).await;
        }
        let Ok(page) = until_available(|| self.read()).await? else {
            return Ok(None);
        };
        let events = self.events(page, false);
        Ok(Some((events, self)))
    }

    fn read(&self) -> impl Future<Output = Result<Result<EventPage, CursorLost>, StoreError>> {
        self.store.list_events(EventQuery {
            after: self.after,
            types: self.types.clone(),
            limit: PAGE,
        })
    }

    /// Returns the events of a page. Without events, returns the position up to which the service has read, but only from
    /// time to time or if the client `must` know it.
    fn events(
        &mut self,
        page: EventPage,
        must: bool,
    ) -> impl Stream<Item = Result<Event<AnyEvent>, BoxError>> + use<> {
        let EventPage { events, next, more } = page;
        let now = Instant::now();
        let tells = must || !events.is_empty() || now - self.last_id >= CHECKPOINTS;
        let has_moved = must || self.after != EventsAfter::Event(next);
        let checkpoint = tells && events.is_empty() && has_moved;
        if tells {
            self.last_id = now;
        }
        (self.after, self.has_more) = (EventsAfter::Event(next), more);
        let events = events.into_iter().map(|stored| {
            let id = stored.position.encode();
            Ok(Event::new(stored.event).with_id(id))
        });
        let checkpoint = checkpoint.then(|| Ok(Event::checkpoint(next.encode())));
        stream::iter(events.chain(checkpoint))
    }
}

/// Reads from the store, and retries while the store is not available. The server ends a stream that has had no item for
/// too long.
async fn until_available<T, F>(read: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    loop {
        match read().await {
            Err(StoreError::Unavailable { .. } | StoreError::Overloaded) => {
                tokio::time::sleep(PAUSE).await;
            }
            result => return result,
        }
    }
}
