//! Statistics of a store: the sizes of its batches, the number of queued
//! writes, and the use of its connections.

use crate::{StoreError, write_health::WriteHealth};
use parking_lot::Mutex;

/// The upper bounds of the classes that batches are counted in, by the number
/// of their writes. No batch is larger than the last.
pub const BATCH_SIZES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, LARGEST_BATCH];

/// Writes that a backend may commit at once.
pub(crate) const LARGEST_BATCH: u64 = 256;

/// Statistics of the writer of a store since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteStats {
    /// Transactions that were committed.
    pub batches: u64,
    /// Writes in those transactions; over `batches`, the mean size of a batch.
    pub writes: u64,
    /// Of those transactions, the ones whose writes were at most so many as
    /// the bound at the same place in [`BATCH_SIZES`], and more than the one
    /// before it.
    pub sizes: [u64; BATCH_SIZES.len()],
    /// Writes that wait to be taken up at this moment.
    pub queued: usize,
}

/// Statistics of the connections that read. Those that write are few, never shared,
/// and no reader waits for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Connections that are in use at this moment.
    pub used: usize,
    /// Connections that are open and have nothing to do.
    pub idle: usize,
    /// Connections that there may be.
    pub limit: usize,
    /// Reads that had to wait for a connection, since the store was opened.
    pub waits: u64,
}

/// Counts what a writer commits.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    stats: Mutex<WriteStats>,
    pub(crate) health: WriteHealth,
}

impl Batches {
    /// A transaction ended, with so many writes committed, or none because of this error. One
    /// without any write is not counted.
    pub(crate) fn ended(&self, writes: u64, error: Option<&StoreError>) {
        if writes == 0 {
            return self.health.not_committed(error);
        }
        self.health.committed();
        self.count(writes);
    }

    /// A transaction ended, with so many writes committed, none of which changed anything.
    pub(crate) fn ended_without_disk(&self, writes: u64) {
        self.health.changed_nothing();
        self.count(writes);
    }

    fn count(&self, writes: u64) {
        let mut stats = self.stats.lock();
        let class = BATCH_SIZES.partition_point(|bound| *bound < writes);
        if let Some(size) = stats.sizes.get_mut(class) {
            *size += 1;
        }
        stats.batches += 1;
        stats.writes += writes;
    }

    /// Returns the statistics; their number of queued writes is not set.
    pub(crate) fn stats(&self) -> WriteStats {
        *self.stats.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_counted_in_the_smallest_class_that_holds_it() {
        let batches = Batches::default();
        for writes in [0, 1, 2, 3, 4, 5, 256] {
            batches.ended(writes, None);
        }
        let stats = batches.stats();
        assert_eq!((stats.batches, stats.writes), (6, 271));
        assert_eq!(stats.sizes, [1, 1, 2, 1, 0, 0, 0, 0, 1]);
    }
}
