//! How many bytes the writes that wait may hold in memory. How many writes may
//! wait is left to the writers: a write can be a few bytes or a megabyte.

use crate::StoreError;
use petstore_models::NewPet;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Bytes of the writes that wait or run. Beyond this a write is refused, but
/// one that is larger by itself is taken while nothing else waits.
pub(crate) const QUEUE_BYTES: usize = 64 << 20;
/// Bytes in one transaction: one that holds as much takes no further write.
pub(crate) const BATCH_BYTES: usize = 8 << 20;

/// What is taken of [`QUEUE_BYTES`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Room(Arc<AtomicUsize>);

/// The share of a write, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    room: Room,
    bytes: usize,
}

impl Room {
    /// Takes a place for a write that holds so many bytes.
    ///
    /// # Errors
    ///
    /// [`StoreError::Overloaded`]: what waits holds too many already.
    pub(crate) fn take(&self, bytes: usize) -> Result<Place, StoreError> {
        let fits = |taken: usize| {
            let sum = taken.checked_add(bytes)?;
            (taken == 0 || sum <= QUEUE_BYTES).then_some(sum)
        };
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_err(|_| StoreError::Overloaded)?;
        Ok(Place {
            room: self.clone(),
            bytes,
        })
    }
}

impl Place {
    /// The bytes that it stands for.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The memory that a new pet holds.
pub(crate) const fn bytes_of(pet: &NewPet) -> usize {
    size_of::<NewPet>() + pet.name.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_refused_where_the_sum_is_too_large_and_given_back_at_the_end() {
        let room = Room::default();
        let most = room.take(QUEUE_BYTES - 1).expect("there is room");
        let rest = room.take(1).expect("it just fits");
        assert!(matches!(room.take(1), Err(StoreError::Overloaded)));
        assert!(room.take(0).is_ok());
        drop(rest);
        assert!(room.take(1).is_ok());
        assert!(room.take(2).is_err());
        drop(most);
        assert!(room.take(2).is_ok());
    }

    #[test]
    fn a_write_that_is_larger_than_all_room_goes_alone() {
        let room = Room::default();
        let large = room.take(QUEUE_BYTES + 1).expect("nothing else waits");
        assert!(room.take(1).is_err());
        drop(large);
        let small = room.take(1).expect("there is room");
        assert!(room.take(QUEUE_BYTES + 1).is_err());
        assert!(room.take(usize::MAX).is_err());
        drop(small);
    }
}
