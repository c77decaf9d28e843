//! Limits how long a request may run.

use super::error_response::ErrorResponse;
use crate::config::Limits;
use futures::FutureExt as _;
use openapi_dropshot_types::Condition;

/// The result of the work, or 503 where it took too long. A write that was handed
/// to the store goes on, so that its outcome is unknown.
// No `async fn`: its future would hold the work twice, as its argument and as the future that it
// awaits, and both are copied with each future around it.
pub(super) fn within<T>(
    limits: &Limits,
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, ErrorResponse>> {
    let deadline = limits.request_deadline_seconds;
    tokio::time::timeout(deadline.duration(), work).map(move |result| {
        result.map_err(|_| {
            let message = format!(
                "the request took longer than {deadline} seconds; it is unknown whether it took effect; check before you repeat it"
            );
            ErrorResponse::new(Condition::Unavailable, message)
        })
    })
}
