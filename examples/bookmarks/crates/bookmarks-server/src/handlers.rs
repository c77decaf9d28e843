//! The handlers: one method for each operation of the document.

use crate::shelf::Creation;
use bookmarks_api::{
    AddBookmarkError, BookmarksApi, ListBookmarksError, RemoveBookmarkError, SearchBookmarksError,
};
use bookmarks_models::{
    AddBookmarkHeaders, Bookmark, Bookmarks, ListBookmarksOkHeaders, ListBookmarksQuery,
    NewBookmark, RemoveBookmarkPath, SearchBookmarksQuery,
};
use dropshot::{
    Header, HttpResponseCreated, HttpResponseDeleted, HttpResponseHeaders, HttpResponseOk, Path,
    Query, RequestContext, TypedBody,
};
use openapi_dropshot_server::idempotency::IdempotencyKey;

/// The handlers.
#[derive(Debug)]
pub enum Handlers {}

impl BookmarksApi for Handlers {
    type Context = openapi_dropshot_server::Context<crate::Service>;

    async fn list_bookmarks(
        rqctx: RequestContext<Self::Context>,
        query: Query<ListBookmarksQuery>,
    ) -> Result<
        HttpResponseHeaders<HttpResponseOk<Bookmarks>, ListBookmarksOkHeaders>,
        ListBookmarksError,
    > {
        let ListBookmarksQuery { tag, limit, cursor } = query.into_inner();
        let after = cursor.map_or(Ok(0), |cursor| cursor.as_str().parse());
        let after: i64 = after.expect("a cursor has at most 18 digits");
        let limit = limit.get();
        let shelf = rqctx.context().state().shelf();
        let mut found = shelf
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
        rqctx: RequestContext<Self::Context>,
        headers: Header<AddBookmarkHeaders>,
        body: TypedBody<NewBookmark>,
    ) -> Result<HttpResponseCreated<Bookmark>, AddBookmarkError> {
        let new = body.into_inner();
        let header = headers.into_inner().idempotency_key;
        let context = rqctx.context();
        let (Some(header), Some(caller)) = (header, context.principal(&rqctx)) else {
            return Ok(HttpResponseCreated(context.state().shelf().add(new)));
        };
        let key = IdempotencyKey::from_header(header.as_str()).map_err(|error| {
            AddBookmarkError::BadRequest(format!("`Idempotency-Key` {error}").into())
        })?;
        // One lock for the lookup and the addition, so that two requests with the same key add only one bookmark.
        let mut shelf = context.state().shelf();
        if let Some(Creation { bookmark, .. }) = shelf.created.get(&(caller, key.clone())) {
            return if bookmark.url == new.url && bookmark.tags == new.tags {
                Ok(HttpResponseCreated(bookmark.clone()))
            } else {
                Err(AddBookmarkError::KeyReused(
                    "`Idempotency-Key` was used with another body; make a new key".into(),
                ))
            };
        }
        let bookmark = shelf.add(new);
        let creation = Creation {
            bookmark: bookmark.clone(),
            at: context.now(),
        };
        shelf.created.insert((caller, key), creation);
        Ok(HttpResponseCreated(bookmark))
    }

    async fn remove_bookmark(
        rqctx: RequestContext<Self::Context>,
        path: Path<RemoveBookmarkPath>,
    ) -> Result<HttpResponseDeleted, RemoveBookmarkError> {
        let id = path.into_inner().bookmark_id;
        let removed = rqctx.context().state().shelf().bookmarks.remove(&id);
        removed.map(|_| HttpResponseDeleted()).ok_or_else(|| {
            RemoveBookmarkError::NoSuchThing(format!("there is no bookmark {id}").into())
        })
    }

    async fn search_bookmarks(
        rqctx: RequestContext<Self::Context>,
        query: Query<SearchBookmarksQuery>,
    ) -> Result<HttpResponseOk<Bookmarks>, SearchBookmarksError> {
        let tag = query.into_inner().tag;
        let shelf = rqctx.context().state().shelf();
        let all = shelf.bookmarks.values();
        let found = all.filter(|bookmark| bookmark.tags.contains(&tag));
        Ok(HttpResponseOk(Bookmarks(found.cloned().collect())))
    }
}
