//! Caches the keys that were looked up, until a commit that could have revoked one of them.
//! Each look-up compares the version of the newest commit with the version of the cache.
//! So a key that any process revokes is removed at once.

use crate::{FoundKey, KeyHash};
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use rusqlite::Connection;
use sqlite_nowait::{WalVersion, wal_version};
use std::collections::HashMap;

/// The greatest number of keys in the cache. When it is full, the next key empties it.
const KEYS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct KeyCache(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    /// The newest commit for which `keys` are valid.
    version: Option<WalVersion>,
    keys: HashMap<KeyHash, FoundKey, RandomState>,
    /// Whether the batch that is being written revokes a key.
    is_revoking: bool,
}

impl KeyCache {
    /// Returns the key with this hash, if it is in the cache, and the version of the newest commit.
    /// Without a version, nothing can be cached.
    pub(super) fn find(
        &self,
        db: &Connection,
        hash: &KeyHash,
    ) -> (Option<FoundKey>, Option<WalVersion>) {
        let version = wal_version(db);
        let mut cached = self.0.lock();
        if version.is_none() || cached.version != version {
            cached.keys.clear();
            cached.version = version;
        }
        (cached.keys.get(hash).copied(), version)
    }

    /// Adds a key. `version` must be the newest commit before the look-up.
    pub(super) fn add(&self, version: Option<WalVersion>, hash: KeyHash, found: FoundKey) {
        let mut cached = self.0.lock();
        if version.is_none() || cached.version != version {
            return;
        }
        if cached.keys.len() >= KEYS {
            cached.keys.clear();
        }
        cached.keys.insert(hash, found);
    }

    /// Records that a batch begins. Its transaction holds the write lock, so the returned version is
    /// the last commit before it.
    pub(super) fn begin_batch(&self, batch: &Connection) -> Option<WalVersion> {
        self.0.lock().is_revoking = false;
        wal_version(batch)
    }

    /// Records that the batch revokes a key.
    pub(super) fn begin_revocation(&self) {
        self.0.lock().is_revoking = true;
    }

    /// Keeps the cached keys after the commit of a batch, if the batch revokes no key and is the only
    /// commit since `before`.
    pub(super) fn end_batch(&self, before: Option<WalVersion>, db: &Connection) {
        let (Some(before), Some(after)) = (before, wal_version(db)) else {
            return;
        };
        let mut cached = self.0.lock();
        if !cached.is_revoking && cached.version == Some(before) && after.is_next_after(&before) {
            cached.version = Some(after);
        }
    }
}
