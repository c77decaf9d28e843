//! Pools the connections that read. A read runs on the thread of its caller and
//! waits only for a free connection.

use super::{
    connection::{self, Slot},
    error, records,
};
use crate::{
    PoolStats, StoreError,
    row::{FromRow, Value},
};
use rusqlite::Connection;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub(super) struct Readers {
    slots: Vec<Slot>,
    waits: AtomicU64,
}

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Each thread begins at a connection of its own, so that threads do not
    /// meet at one lock and find their statements and pages in its caches.
    static OWN: usize = THREADS.fetch_add(1, Ordering::Relaxed);
}

impl Readers {
    /// At least one slot, or no read can be served.
    pub(super) fn new(slots: Vec<Slot>) -> Self {
        debug_assert!(!slots.is_empty(), "a store without a connection to read");
        Self {
            slots,
            waits: AtomicU64::new(0),
        }
    }

    /// Runs `work` on a free connection. It sees one snapshot only if it is
    /// one statement.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let own = OWN.with(|own| own % self.slots.len());
        let (before, from_own) = self.slots.split_at(own);
        let free = from_own.iter().chain(before).find_map(Slot::try_hold);
        let mut held = free.unwrap_or_else(|| {
            self.waits.fetch_add(1, Ordering::Relaxed);
            self.slots[own].hold()
        });
        work(connection::open(&mut held)?).map_err(error::failed)
    }

    /// Returns all rows of a statement.
    pub(super) fn query<T: FromRow>(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
    ) -> Result<Vec<T>, StoreError> {
        self.read(|db| records::all(db, sql, parameters))
    }

    /// Looks at each connection for a moment, rather than counting each read.
    pub(super) fn stats(&self) -> PoolStats {
        let limit = self.slots.len();
        let mut stats = PoolStats {
            limit,
            waits: self.waits.load(Ordering::Relaxed),
            ..PoolStats::default()
        };
        for slot in &self.slots {
            match slot.try_hold() {
                None => stats.used += 1,
                Some(held) => stats.idle += usize::from(held.is_some()),
            }
        }
        stats
    }

    /// Waits for running reads and closes the connections.
    pub(super) fn close(&self) {
        for slot in &self.slots {
            drop(slot.hold().take());
        }
    }
}
