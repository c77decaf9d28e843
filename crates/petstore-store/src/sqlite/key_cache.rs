//! Caches the keys that were looked up, until anything is committed that could revoke one.
//! Each look-up compares the newest commit of the database with the one that the cache is
//! of. So a key that was revoked, by whichever process, is forgotten at once.

use crate::{FoundKey, KeyHash};
use foldhash::fast::RandomState;
use parking_lot::Mutex;
use rusqlite::Connection;
use sqlite_nowait::{WalVersion, wal_version};
use std::collections::HashMap;

/// The most keys in the cache; one more empties it.
const KEYS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct KeyCache(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    /// The commit of which `keys` are.
    version: Option<WalVersion>,
    keys: HashMap<KeyHash, FoundKey, RandomState>,
    /// Whether the batch that is being written revokes a key.
    is_revoking: bool,
}

impl KeyCache {
    /// The key with this hash, if it is in the cache, and the newest commit. Without a version,
    /// nothing can be cached.
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

    /// Adds a key that was looked up after `version` was the newest commit.
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

    /// Notes that a batch begins. Its transaction has the lock for writing, so that the result is
    /// the commit before it.
    pub(super) fn begin_batch(&self, batch: &Connection) -> Option<WalVersion> {
        self.0.lock().is_revoking = false;
        wal_version(batch)
    }

    /// Notes that the batch revokes a key.
    pub(super) fn begin_revocation(&self) {
        self.0.lock().is_revoking = true;
    }

    /// Keeps what is cached after the commit of a batch that revokes no key, if it is the only
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
