//! Which creations with an idempotency key this server has under way, so that
//! a repeated request waits for the first one instead of standing in the
//! store's queue beside it. That a creation happens once is left to the store:
//! nothing is lost here but the patience of who asks another server.

use petstore_store::{IdempotencyKey, KeyId};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::watch;

/// The creations that are under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct InFlight(Arc<Mutex<Names>>);

/// Whose creation it is, and which one.
pub(super) type Name = (KeyId, IdempotencyKey);
type Names = HashMap<Name, watch::Receiver<()>>;

/// While it lives, nobody else has the name.
#[derive(Debug)]
pub(super) struct Turn {
    name: Name,
    all: InFlight,
    /// Its end is the news.
    _ended: watch::Sender<()>,
}

/// Somebody else's [`Turn`].
#[derive(Debug)]
pub(super) struct Other(watch::Receiver<()>);

impl InFlight {
    /// Takes the name, unless somebody has it.
    pub(super) fn enter(&self, name: &Name) -> Result<Turn, Other> {
        match self.names().entry(name.clone()) {
            Entry::Occupied(other) => Err(Other(other.get().clone())),
            Entry::Vacant(free) => {
                let (ended, news) = watch::channel(());
                free.insert(news);
                Ok(Turn {
                    name: name.clone(),
                    all: self.clone(),
                    _ended: ended,
                })
            }
        }
    }

    fn names(&self) -> MutexGuard<'_, Names> {
        // A panic under the lock leaves the map whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Other {
    /// Waits until the turn is over.
    pub(super) async fn ended(mut self) {
        // An error is the end of the sender, and nothing is ever sent.
        let _ended = self.0.changed().await;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.all.names().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(key_id: u64, key: &str) -> Name {
        let key = IdempotencyKey::try_from(key.to_owned()).expect("a key");
        (KeyId::from_random(key_id), key)
    }

    #[tokio::test]
    async fn a_name_has_one_turn_at_a_time_and_is_free_after_it() {
        let all = InFlight::default();
        let first = all.enter(&name(1, "a")).expect("nobody has it");
        let second = all.enter(&name(1, "a")).expect_err("it is taken");
        let _others = [
            all.enter(&name(2, "a")).expect("another API key"),
            all.enter(&name(1, "b")).expect("another name"),
        ];
        let waiting = tokio::spawn(second.ended());
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        waiting.await.expect("it ends");
        assert!(all.enter(&name(1, "a")).is_ok());
        assert_eq!(all.names().len(), 2, "what is over leaves nothing");
    }
}
