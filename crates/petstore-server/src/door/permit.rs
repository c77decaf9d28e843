//! How many requests run at once: one more is refused at once, not queued
//! without end.

use crate::api::{ErrorCode, Refusal};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Held while the request runs.
pub(super) fn take(permits: &Semaphore) -> Result<SemaphorePermit<'_>, Refusal> {
    permits.try_acquire().map_err(|_| {
        let message = "the service has too much to do; nothing was started, try again in 1 second";
        Refusal::new(ErrorCode::Overloaded, message)
    })
}
