//! Tracks the requests with an idempotency key that this server is processing, so that a repeated
//! request waits for the first one instead of occupying the queue of the store. The guarantee that
//! a creation happens only once comes from the store, and it also holds across several servers.

use super::IdempotencyKey;
use crate::lock::lock;
use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::{Arc, Mutex},
};
use tokio::sync::watch;

/// The running requests.
#[derive(Debug)]
pub(crate) struct InFlight<P>(Arc<Mutex<Names<P>>>);

/// The principal of a request, and its idempotency key.
pub(crate) type Name<P> = (P, IdempotencyKey);
type Names<P> = HashMap<Name<P>, watch::Receiver<()>>;

impl<P> Default for InFlight<P> {
    fn default() -> Self {
        InFlight(Arc::default())
    }
}

impl<P> Clone for InFlight<P> {
    fn clone(&self) -> Self {
        InFlight(Arc::clone(&self.0))
    }
}

/// Holds a name, which is free again when the guard is dropped.
#[derive(Debug)]
pub(super) struct Guard<P: Copy + Eq + Hash> {
    name: Name<P>,
    all: InFlight<P>,
    /// Dropping it wakes the waiting requests.
    _ended: watch::Sender<()>,
}

impl<P: Copy + Eq + Hash> InFlight<P> {
    /// Takes the name. If another request holds it, returns a channel that is closed when that
    /// request ends; no value is ever sent through it.
    pub(super) fn enter(&self, name: &Name<P>) -> Result<Guard<P>, watch::Receiver<()>> {
        match lock(&self.0).entry(name.clone()) {
            Entry::Occupied(other) => Err(other.get().clone()),
            Entry::Vacant(free) => {
                let (ended, receiver) = watch::channel(());
                free.insert(receiver);
                Ok(Guard {
                    name: name.clone(),
                    all: self.clone(),
                    _ended: ended,
                })
            }
        }
    }
}

impl<P: Copy + Eq + Hash> Drop for Guard<P> {
    fn drop(&mut self) {
        lock(&self.all.0).remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(principal: u64, key: &str) -> Name<u64> {
        (principal, IdempotencyKey::from_header(key).expect("a key"))
    }

    #[tokio::test]
    async fn a_second_request_with_the_same_idempotency_key_waits_until_the_first_guard_is_dropped()
    {
        let all = InFlight::default();
        let first = all.enter(&name(1, "a")).expect("it is free");
        let mut second = all.enter(&name(1, "a")).expect_err("it is taken");
        let _others = [
            all.enter(&name(2, "a")).expect("another principal"),
            all.enter(&name(1, "b")).expect("another name"),
        ];
        let waiting = tokio::spawn(async move { second.changed().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        assert!(waiting.await.expect("it ends").is_err());
        assert!(all.enter(&name(1, "a")).is_ok());
        assert_eq!(lock(&all.0).len(), 2, "what is over leaves nothing");
    }
}
