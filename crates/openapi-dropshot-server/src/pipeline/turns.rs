//! Makes requests for large responses take turns. Writing or compressing a large response blocks a thread
//! for milliseconds, and thousands of such requests at once would delay all other requests.

use std::{
    hash::{BuildHasher as _, Hash, RandomState},
    thread,
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// A response of at least this size, in bytes before compression, is large.
pub(super) const LARGE: u64 = 32 << 10;
/// Compressing a response of at least this size, in bytes, takes as long as a large response.
pub(super) const LARGE_TO_COMPRESS: u64 = 8 << 10;
/// The number of groups. The principals of a group wait for each other.
const GROUPS: usize = 16;

/// The turns of all requests for large responses. A request that has a turn waits only for tasks that are
/// ready.
pub(super) struct Turns {
    /// Each group has as many turns as there are threads, so that no group has more requests that wait for a
    /// thread.
    groups: [Semaphore; GROUPS],
    /// The total number of turns, which is the number of threads.
    threads: Semaphore,
    hasher: RandomState,
}

/// A turn, which ends when it is dropped.
pub(super) struct Turn<'a> {
    _of_group: Option<SemaphorePermit<'a>>,
    _of_thread: Option<SemaphorePermit<'a>>,
}

impl Turns {
    pub(super) fn new() -> Self {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        Turns {
            groups: std::array::from_fn(|_| Semaphore::new(threads)),
            threads: Semaphore::new(threads),
            hasher: RandomState::new(),
        }
    }

    /// Waits for a turn.
    pub(super) async fn take(&self, principal: &impl Hash) -> Turn<'_> {
        let group = self.hasher.hash_one(principal) as usize % GROUPS;
        // The semaphores are never closed.
        let _of_group = self.groups[group].acquire().await.ok();
        let _of_thread = self.threads.acquire().await.ok();
        Turn {
            _of_group,
            _of_thread,
        }
    }
}
