//! Statistics of a store: the sizes of its batches, the number of queued
//! writes, and the use of its connections.

use crate::{StoreError, write_health::WriteHealth};
use parking_lot::Mutex;

/// The upper bounds of the size classes of batches, in writes. No batch is
/// larger than the last bound.
pub const BATCH_SIZES: [u64; 9] = [1, 2, 4, 8, 16, 32, 64, 128, LARGEST_BATCH];

/// The greatest number of writes in one transaction.
pub(crate) const LARGEST_BATCH: u64 = 256;

/// Statistics of the writer of a store since the store was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteStats {
    /// The number of transactions that were committed.
    pub batches: u64,
    /// The number of writes in these transactions. Divided by `batches`, it is the mean size of a batch.
    pub writes: u64,
    /// The number of these transactions in each size class. The number of their writes is
    /// at most the bound at the same index in [`BATCH_SIZES`], and greater than the
    /// previous bound.
    pub sizes: [u64; BATCH_SIZES.len()],
    /// The number of writes that wait in the queue now.
    pub queued: usize,
}

/// Statistics of the connections that read. The connections that write are not included: they
/// are few and never shared, and no reader waits for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// The number of connections that are in use now.
    pub used: usize,
    /// The number of connections that are open and idle.
    pub idle: usize,
    /// The greatest number of connections.
    pub limit: usize,
    /// The number of reads that had to wait for a connection since the store was opened.
    pub waits: u64,
}

/// Counts the transactions of a writer.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    stats: Mutex<WriteStats>,
    pub(crate) health: WriteHealth,
}

impl Batches {
    /// Records that a transaction ended and committed this number of writes. A transaction that
    /// committed no write is not counted; `error` is the reason if the whole transaction failed.
    pub(crate) fn ended(&self, writes: u64, error: Option<&StoreError>) {
        if writes == 0 {
            return self.health.not_committed(error);
        }
        self.health.committed();
        self.count(writes);
    }

    /// Records that a transaction ended with this number of writes, none of which changed anything.
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
    fn a_batch_is_counted_in_the_smallest_size_class_that_contains_its_size() {
        let batches = Batches::default();
        for writes in [0, 1, 2, 3, 4, 5, 256] {
            batches.ended(writes, None);
        }
        let stats = batches.stats();
        assert_eq!((stats.batches, stats.writes), (6, 271));
        assert_eq!(stats.sizes, [1, 1, 2, 1, 0, 0, 0, 0, 1]);
    }
}
