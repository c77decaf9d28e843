//! How long a request may run.

use crate::config::Limits;
use petstore_api::{ErrorCode, Refusal};

/// What the work gave, or 503 where it took too long. A write that was handed
/// to the store goes on, so that its outcome is unknown.
pub(super) async fn within<T>(
    limits: &Limits,
    work: impl Future<Output = T>,
) -> Result<T, Refusal> {
    let deadline = limits.request_deadline_seconds;
    tokio::time::timeout(deadline.duration(), work).await.map_err(|_| {
        let message = format!(
            "the request took longer than {deadline} seconds; whether it took effect is unknown, look before you repeat it"
        );
        Refusal::new(ErrorCode::Unavailable, message)
    })
}
