//! How long a request may run.

use crate::api::{ErrorCode, Refusal};
use crate::config::Limits;
use futures::FutureExt as _;

/// What the work gave, or 503 where it took too long. A write that was handed
/// to the store goes on, so that its outcome is unknown.
// No `async fn`: that would keep room for the work twice, as what it was given
// and as what it waits for, and both are copied with each future around it.
pub(super) fn within<T>(
    limits: &Limits,
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, Refusal>> {
    let deadline = limits.request_deadline_seconds;
    tokio::time::timeout(deadline.duration(), work).map(move |result| {
        result.map_err(|_| {
            let message = format!(
                "the request took longer than {deadline} seconds; whether it took effect is unknown, look before you repeat it"
            );
            Refusal::new(ErrorCode::Unavailable, message)
        })
    })
}
