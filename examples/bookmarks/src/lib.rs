//! Implements the operations of `openapi.yaml`: a team's bookmarks. `build.rs`
//! generates the trait and the types; `main.rs` starts the server.

include!(concat!(env!("OUT_DIR"), "/generated.rs"));

use anyhow::{Context as _, Result, anyhow};
use api::{BookmarksApi, bookmarks_api_mod};
use dropshot::{
    ClientErrorStatusCode, ConfigDropshot, HttpError, HttpResponseCreated, HttpResponseDeleted,
    HttpResponseOk, HttpServer, Path, Query, RequestContext, ServerBuilder, TypedBody,
};
use models::{Bookmark, ListBookmarksQuery, NewBookmark, RemoveBookmarkPath};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The bookmarks, by id.
#[derive(Debug, Default)]
pub struct Shelf(Mutex<BTreeMap<i64, Bookmark>>);

impl Shelf {
    fn open(&self) -> MutexGuard<'_, BTreeMap<i64, Bookmark>> {
        // Each change is one call, so that a panic leaves nothing half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves an empty shelf at this address; port 0 takes a free one.
///
/// # Errors
///
/// The address cannot be had.
pub fn serve(address: SocketAddr) -> Result<HttpServer<Shelf>> {
    let api = bookmarks_api_mod::api_description::<Service>()
        .map_err(|error| anyhow!("the paths of the document exclude each other: {error}"))?;
    let log = slog::Logger::root(slog::Discard, slog::o!());
    ServerBuilder::new(api, Shelf::default(), log)
        .config(ConfigDropshot {
            bind_address: address,
            ..ConfigDropshot::default()
        })
        .start()
        .with_context(|| format!("cannot listen on {address}"))
}

/// What the operations do.
enum Service {}

impl BookmarksApi for Service {
    type Context = Shelf;

    async fn list_bookmarks(
        request: RequestContext<Shelf>,
        query: Query<ListBookmarksQuery>,
    ) -> Result<HttpResponseOk<Vec<Bookmark>>, HttpError> {
        let tag = query.into_inner().tag;
        let shelf = request.context().open();
        let wanted =
            |bookmark: &&Bookmark| tag.as_ref().is_none_or(|tag| bookmark.tags.contains(tag));
        Ok(HttpResponseOk(
            shelf.values().filter(wanted).cloned().collect(),
        ))
    }

    async fn add_bookmark(
        request: RequestContext<Shelf>,
        body: TypedBody<NewBookmark>,
    ) -> Result<HttpResponseCreated<Bookmark>, HttpError> {
        let NewBookmark { url, tags } = body.into_inner();
        let mut shelf = request.context().open();
        let id = shelf.last_key_value().map_or(1, |(last, _)| last + 1);
        let bookmark = Bookmark { id, url, tags };
        shelf.insert(id, bookmark.clone());
        Ok(HttpResponseCreated(bookmark))
    }

    async fn remove_bookmark(
        request: RequestContext<Shelf>,
        path: Path<RemoveBookmarkPath>,
    ) -> Result<HttpResponseDeleted, HttpError> {
        let id = path.into_inner().bookmark_id;
        match request.context().open().remove(&id) {
            Some(_) => Ok(HttpResponseDeleted()),
            None => Err(HttpError::for_client_error(
                None,
                ClientErrorStatusCode::NOT_FOUND,
                format!("there is no bookmark {id}"),
            )),
        }
    }
}
