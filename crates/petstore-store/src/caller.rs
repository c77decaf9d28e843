//! The API key on whose behalf the current task works, so that the writes of one key cannot block
//! those of others in the queue.

use crate::KeyId;

tokio::task_local! {
    static CALLER: Option<KeyId>;
}

/// Does work on behalf of an API key; `None` for work of the program itself. Writes that the
/// work hands to a store count as writes of this key. The work of all keys together shares
/// the queue of writes: see "Overload" on the front page of this crate.
pub fn on_behalf_of<W: Future>(key: Option<KeyId>, work: W) -> impl Future<Output = W::Output> {
    CALLER.scope(key, work)
}

/// The API key on whose behalf the present task works, if there is one.
#[must_use]
pub fn caller() -> Option<KeyId> {
    CALLER.try_with(Clone::clone).ok().flatten()
}
