//! Who a running operation was called by. The door knows, and the generated
//! dispatch has no place for it, so it goes with the task.

use petstore_store::KeyId;
use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static CALLER: Option<KeyId>;
}

/// Runs the work of a request that came with this API key.
pub(crate) fn called_by<W: Future>(
    key: Option<KeyId>,
    work: W,
) -> TaskLocalFuture<Option<KeyId>, W> {
    CALLER.scope(key, work)
}

/// The API key of the request that is running; none where it needs none.
pub(super) fn caller() -> Option<KeyId> {
    CALLER.try_with(Clone::clone).ok().flatten()
}
