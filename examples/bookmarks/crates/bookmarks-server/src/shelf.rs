//! The state of the handlers, in memory: the bookmarks, and the creations with an idempotency key.

use bookmarks_models::{Bookmark, NewBookmark};
use chrono::{DateTime, TimeDelta, Utc};
use openapi_dropshot_server::idempotency::IdempotencyKey;
use std::collections::{BTreeMap, HashMap};

/// How long an idempotency key is kept.
const KEPT: TimeDelta = TimeDelta::hours(24);

#[derive(Debug, Default)]
pub(crate) struct Shelf {
    pub(crate) bookmarks: BTreeMap<i64, Bookmark>,
    last_id: i64,
    /// The creations with an idempotency key, by the name of the API key of the request and the idempotency key.
    pub(crate) created: HashMap<(&'static str, IdempotencyKey), Creation>,
}

#[derive(Debug)]
pub(crate) struct Creation {
    pub(crate) bookmark: Bookmark,
    pub(crate) at: DateTime<Utc>,
}

impl Shelf {
    pub(crate) fn add(&mut self, NewBookmark { url, tags }: NewBookmark) -> Bookmark {
        self.last_id += 1;
        let id = self.last_id;
        let bookmark = Bookmark { id, url, tags };
        self.bookmarks.insert(id, bookmark.clone());
        bookmark
    }

    /// Deletes at most this number of expired idempotency keys, and returns how many it deleted.
    pub(crate) fn delete_expired(&mut self, now: DateTime<Utc>, limit: usize) -> usize {
        let expired = self
            .created
            .extract_if(|_, creation| creation.at + KEPT < now);
        expired.take(limit).count()
    }
}
