//! Limits how many requests run at the same time; further requests are rejected at once
//! instead of queued.

use super::error_response::ErrorResponse;
use openapi_dropshot_types::Condition;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Held while the request runs.
pub(super) fn take(permits: &Semaphore) -> Result<SemaphorePermit<'_>, ErrorResponse> {
    permits.try_acquire().map_err(|_| {
        let message = "the service has too much to do; nothing was started, try again in 1 second";
        ErrorResponse::new(Condition::Overloaded, message)
    })
}
