//! The API key on whose behalf the current task works, so that the writes of one key cannot block
//! the writes of other keys in the queue.

use crate::KeyId;

tokio::task_local! {
    static CALLER: Option<KeyId>;
}

/// Runs work on behalf of an API key; `None` for work of the program itself. Writes of this
/// work count as writes of this key. All keys share the queue of writes: see "Overload" in the
/// documentation of this crate.
pub fn on_behalf_of<W: Future>(key: Option<KeyId>, work: W) -> impl Future<Output = W::Output> {
    CALLER.scope(key, work)
}

/// The API key on whose behalf the current task works, if there is one.
#[must_use]
pub fn caller() -> Option<KeyId> {
    CALLER.try_with(Clone::clone).ok().flatten()
}
