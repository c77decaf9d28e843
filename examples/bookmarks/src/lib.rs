//! A service that keeps the bookmarks of a team in memory: the handlers of the operations of
//! `openapi.yaml`. `build.rs` generates the trait and the types; `openapi-dropshot-server` does
//! everything that is the same for each service.

include!(concat!(env!("OUT_DIR"), "/service.rs"));

use api::{
    AddBookmarkError, BookmarksApi, ListBookmarksError, RemoveBookmarkError, SearchBookmarksError,
};
use chrono::{DateTime, TimeDelta, Utc};
use dropshot::{
    Header, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders, HttpResponseOk, Path,
    Query, TypedBody,
};
use models::{
    AddBookmarkHeaders, Bookmark, Bookmarks, ListBookmarksOkHeaders, ListBookmarksQuery,
    NewBookmark, RemoveBookmarkPath, SearchBookmarksQuery,
};
use openapi_dropshot_server::{
    Context, ServiceInfo, State,
    idempotency::IdempotencyKey,
    keys::{KeyFormat, KeyHashes},
    service_info,
    state::{AuthenticationError, StateError},
};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The API with the handlers of this crate.
pub type Api = api::Generated<Service>;

/// The names of the service.
pub static INFO: ServiceInfo = service_info!("bookmarks");

openapi_dropshot_server::settings! {
    /// Who may use the service.
    Access {
        /// The API keys, as `bookmarks key NAME` prints them: `NAME:SHA256`, with `,` between two keys
        keys: KeyHashes = "";
    }
}

/// The format of the API keys.
pub const KEY_FORMAT: KeyFormat = KeyFormat::new("bookmarks_");

/// How long an idempotency key is kept.
const KEPT: TimeDelta = TimeDelta::hours(24);

/// The state of the service: its API keys and its bookmarks.
#[derive(Debug, Default)]
pub struct Shelf {
    keys: KeyHashes,
    content: Mutex<Content>,
}

#[derive(Debug, Default)]
struct Content {
    bookmarks: BTreeMap<i64, Bookmark>,
    last_id: i64,
    /// The creations that came with an idempotency key.
    created: HashMap<(Caller, IdempotencyKey), Creation>,
}

#[derive(Debug)]
struct Creation {
    bookmark: Bookmark,
    at: DateTime<Utc>,
}

/// The name of an API key.
type Caller = &'static str;

tokio::task_local! {
    static CALLER: Option<Caller>;
}

impl Shelf {
    /// An empty shelf, for the owners of these keys.
    #[must_use]
    pub fn new(keys: KeyHashes) -> Self {
        Shelf {
            keys,
            ..Shelf::default()
        }
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        // No change panics halfway.
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Content {
    fn add(&mut self, NewBookmark { url, tags }: NewBookmark) -> Bookmark {
        self.last_id += 1;
        let id = self.last_id;
        let bookmark = Bookmark { id, url, tags };
        self.bookmarks.insert(id, bookmark.clone());
        bookmark
    }
}

impl State for Shelf {
    type Principal = Caller;

    fn principal_id(caller: &Caller) -> &str {
        caller
    }

    async fn authenticate(&self, credential: &str) -> Result<Caller, AuthenticationError> {
        let key = KEY_FORMAT.parse(credential);
        let key = key.map_err(|_| AuthenticationError::Malformed)?;
        self.keys.find(&key).ok_or(AuthenticationError::Unknown)
    }

    fn run_as<W>(caller: Option<Caller>, handler: W) -> impl Future<Output = W::Output> + Send
    where
        W: Future + Send,
        W::Output: Send,
    {
        CALLER.scope(caller, handler)
    }

    async fn delete_expired_idempotency_keys(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StateError> {
        let mut content = self.content();
        let expired = content
            .created
            .extract_if(|_, creation| creation.at + KEPT < now);
        Ok(expired.take(limit).count())
    }
}

/// The context of a request.
type RequestContext = dropshot::RequestContext<Context<Shelf>>;

/// The handlers.
#[derive(Debug)]
pub enum Service {}

impl BookmarksApi for Service {
    type Context = Context<Shelf>;

    async fn list_bookmarks(
        rqctx: RequestContext,
        query: Query<ListBookmarksQuery>,
    ) -> Result<
        HttpResponseHeaders<HttpResponseOk<Bookmarks>, ListBookmarksOkHeaders>,
        ListBookmarksError,
    > {
        let ListBookmarksQuery { tag, limit, cursor } = query.into_inner();
        let after = cursor.map_or(Ok(0), |cursor| cursor.as_str().parse());
        let after: i64 = after.expect("a cursor has at most 18 digits");
        let limit = limit.get();
        let content = rqctx.context().state().content();
        let mut found = content
            .bookmarks
            .range(after + 1..)
            .map(|(_, bookmark)| bookmark)
            .filter(|bookmark| tag.as_ref().is_none_or(|tag| bookmark.tags.contains(tag)));
        let size = usize::try_from(limit).expect("a limit is at least 1 and at most 100");
        let page: Vec<Bookmark> = found.by_ref().take(size).cloned().collect();
        let last = page.last().filter(|_| found.next().is_some());
        let link = last.map(|Bookmark { id, .. }| {
            let tag = tag.map_or_else(String::new, |tag| format!("&tag={}", tag.as_str()));
            format!("<?limit={limit}{tag}&cursor={id}>; rel=\"next\"")
        });
        Ok(HttpResponseHeaders::new(
            HttpResponseOk(Bookmarks(page)),
            ListBookmarksOkHeaders { link },
        ))
    }

    async fn add_bookmark(
        rqctx: RequestContext,
        headers: Header<AddBookmarkHeaders>,
        body: TypedBody<NewBookmark>,
    ) -> Result<HttpResponseCreated<Bookmark>, AddBookmarkError> {
        let new = body.into_inner();
        let header = headers.into_inner().idempotency_key;
        let context = rqctx.context();
        let (Some(header), Some(caller)) = (header, CALLER.get()) else {
            return Ok(HttpResponseCreated(context.state().content().add(new)));
        };
        let key = IdempotencyKey::from_header(header.as_str()).map_err(|error| {
            AddBookmarkError::BadRequest(format!("`Idempotency-Key` {error}").into())
        })?;
        // Under one lock, so that of two requests with one key only one adds a bookmark.
        let mut content = context.state().content();
        if let Some(Creation { bookmark, .. }) = content.created.get(&(caller, key.clone())) {
            return if bookmark.url == new.url && bookmark.tags == new.tags {
                Ok(HttpResponseCreated(bookmark.clone()))
            } else {
                Err(AddBookmarkError::KeyReused(
                    "`Idempotency-Key` was used with another body; make a new key".into(),
                ))
            };
        }
        let bookmark = content.add(new);
        let creation = Creation {
            bookmark: bookmark.clone(),
            at: context.now(),
        };
        content.created.insert((caller, key), creation);
        Ok(HttpResponseCreated(bookmark))
    }

    async fn remove_bookmark(
        rqctx: RequestContext,
        path: Path<RemoveBookmarkPath>,
    ) -> Result<HttpResponseDeleted, RemoveBookmarkError> {
        let id = path.into_inner().bookmark_id;
        let removed = rqctx.context().state().content().bookmarks.remove(&id);
        removed.map(|_| HttpResponseDeleted()).ok_or_else(|| {
            RemoveBookmarkError::NoSuchThing(format!("there is no bookmark {id}").into())
        })
    }

    async fn search_bookmarks(
        rqctx: RequestContext,
        query: Query<SearchBookmarksQuery>,
    ) -> Result<HttpResponseOk<Bookmarks>, SearchBookmarksError> {
        let tag = query.into_inner().tag;
        let content = rqctx.context().state().content();
        let all = content.bookmarks.values();
        let found = all.filter(|bookmark| bookmark.tags.contains(&tag));
        Ok(HttpResponseOk(Bookmarks(found.cloned().collect())))
    }
}
