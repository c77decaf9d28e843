//! Limits the memory that queued writes may hold. The number of queued writes is
//! limited by the channels of the writers.

use crate::StoreError;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The most bytes that queued and running writes may hold. Beyond this a write is
/// rejected; a write that is larger by itself is accepted if nothing else is queued.
pub(crate) const QUEUE_BYTES: usize = 64 << 20;
/// The most bytes in one transaction. A batch that holds as many takes no further
/// write.
pub(crate) const BATCH_BYTES: usize = 8 << 20;

/// The bytes of [`QUEUE_BYTES`] that are in use.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueCapacity(Arc<AtomicUsize>);

/// The share of one write, returned when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    capacity: QueueCapacity,
    bytes: usize,
}

impl QueueCapacity {
    /// Reserves capacity for a write that holds so many bytes.
    ///
    /// # Errors
    ///
    /// [`StoreError::Overloaded`]: the queued writes hold too many bytes already.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Reservation, StoreError> {
        let fits = |used: usize| {
            let sum = used.checked_add(bytes)?;
            (used == 0 || sum <= QUEUE_BYTES).then_some(sum)
        };
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_err(|_| StoreError::Overloaded)?;
        Ok(Reservation {
            capacity: self.clone(),
            bytes,
        })
    }
}

impl Reservation {
    /// How many bytes are reserved.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.capacity.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_beyond_the_limit_is_rejected_and_a_dropped_one_is_returned() {
        let queue = QueueCapacity::default();
        let most = queue.reserve(QUEUE_BYTES - 1).expect("it is empty");
        let last = queue.reserve(1).expect("it just fits");
        assert!(matches!(queue.reserve(1), Err(StoreError::Overloaded)));
        assert!(queue.reserve(0).is_ok());
        drop(last);
        assert!(queue.reserve(1).is_ok());
        assert!(queue.reserve(2).is_err());
        drop(most);
        assert!(queue.reserve(2).is_ok());
    }

    #[test]
    fn a_write_that_is_larger_than_the_limit_is_accepted_alone() {
        let queue = QueueCapacity::default();
        let large = queue.reserve(QUEUE_BYTES + 1).expect("nothing is queued");
        assert!(queue.reserve(1).is_err());
        drop(large);
        let small = queue.reserve(1).expect("it fits");
        assert!(queue.reserve(QUEUE_BYTES + 1).is_err());
        assert!(queue.reserve(usize::MAX).is_err());
        drop(small);
    }
}
