//! The principals of the running requests: the key under which budgets and counters count a principal, and the
//! registry in which handlers find the principal of their request.

use crate::{lock::lock, state::State};
use foldhash::fast::RandomState;
use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, Hasher},
    sync::{Arc, Mutex},
};
use uuid::Uuid;

/// Number of locks, so that requests seldom wait for the same lock.
const SHARDS: usize = 16;

/// The key of a principal in budgets and counters: the hash of its id.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct PrincipalKey(u64);

/// The principal of a request. Two principals are equal if they have the same id.
#[derive(Clone)]
pub(crate) struct Caller<P> {
    pub(crate) key: PrincipalKey,
    pub(crate) principal: P,
}

impl<P> Caller<P> {
    /// Creates the caller. With the hasher of the same server, equal ids get the same key.
    pub(crate) fn new<S: State<Principal = P>>(principal: P, hasher: &impl BuildHasher) -> Self {
        let key = PrincipalKey(hasher.hash_one(S::principal_id(&principal)));
        Caller { key, principal }
    }
}

impl<P> PartialEq for Caller<P> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<P> Eq for Caller<P> {}

impl<P> Hash for Caller<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// The principals of the running requests, by the ids of the requests. They are stored here because dropshot's
/// request context cannot store data of a single request.
pub(crate) struct Principals<P>(Arc<[Shard<P>; SHARDS]>);

type Shard<P> = Mutex<HashMap<Uuid, P, RandomState>>;

impl<P: Clone> Principals<P> {
    pub(crate) fn new() -> Self {
        Principals(Arc::new(std::array::from_fn(|_| Mutex::default())))
    }

    /// Registers the principal of a request until the result is dropped.
    pub(crate) fn register(&self, request: Uuid, principal: P) -> Registration<P> {
        lock(shard(&self.0, request)).insert(request, principal);
        Registration {
            shards: Arc::clone(&self.0),
            request,
        }
    }

    pub(crate) fn find(&self, request_id: &str) -> Option<P> {
        let request = Uuid::parse_str(request_id).ok()?;
        lock(shard(&self.0, request)).get(&request).cloned()
    }
}

/// Keeps the principal of a request in the registry until it is dropped.
pub(crate) struct Registration<P> {
    shards: Arc<[Shard<P>; SHARDS]>,
    request: Uuid,
}

impl<P> Drop for Registration<P> {
    fn drop(&mut self) {
        lock(shard(&self.shards, self.request)).remove(&self.request);
    }
}

fn shard<P>(shards: &[Shard<P>; SHARDS], request: Uuid) -> &Shard<P> {
    // The last bits of an id are random.
    &shards[request.as_u128() as usize % SHARDS]
}
