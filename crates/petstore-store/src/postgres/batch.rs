//! The batches of writes: new pets, which one statement stores together, and other
//! writes, each of which is a transaction of its own.

use super::{pets, session::Session};
use crate::{
    Creation, StoreError,
    idempotency::OnceOnly,
    write_queue::{Caller, respond},
};
use futures::{
    FutureExt as _,
    future::{BoxFuture, join_all},
};
use petstore_models::{NewPet, Pet};
use std::{collections::HashSet, iter, sync::Arc};

/// A write that waits.
pub(super) enum Write {
    Pet(NewPet, Caller<Pet>),
    Once(OnceOnly<NewPet>, Caller<Creation>),
    Other(Box<dyn Job>),
}

/// A write that is not a new pet, with the caller who waits for it.
pub(super) trait Job: Send {
    /// Runs the write and keeps its result.
    fn run(&mut self, db: Arc<Session>) -> BoxFuture<'_, ()>;

    /// The result of the write itself.
    fn outcome(&self) -> Option<Result<(), &StoreError>>;

    /// Returns the result to the caller.
    fn respond(self: Box<Self>, confirmed: &Result<(), StoreError>);
}

type Work<T> = Box<dyn FnOnce(Arc<Session>) -> BoxFuture<'static, Result<T, StoreError>> + Send>;

/// A write that is one transaction.
pub(super) struct Other<T> {
    /// `None` once the write has begun to run.
    work: Option<Work<T>>,
    result: Option<Result<T, StoreError>>,
    caller: Caller<T>,
}

impl<T: Send> Job for Other<T> {
    fn run(&mut self, db: Arc<Session>) -> BoxFuture<'_, ()> {
        let work = self.work.take().map(|work| work(db));
        async move {
            if let Some(work) = work {
                self.result = Some(work.await);
            }
        }
        .boxed()
    }

    fn outcome(&self) -> Option<Result<(), &StoreError>> {
        self.result.as_ref().map(outcome_of)
    }

    fn respond(self: Box<Self>, confirmed: &Result<(), StoreError>) {
        respond(self.caller, self.result, confirmed);
    }
}

impl<T: Send + 'static> Other<T> {
    pub(super) fn boxed<F>(
        work: impl FnOnce(Arc<Session>) -> F + Send + 'static,
        caller: Caller<T>,
    ) -> Box<dyn Job>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        Box::new(Self {
            work: Some(Box::new(move |db| work(db).boxed())),
            result: None,
            caller,
        })
    }
}

fn outcome_of<T>(result: &Result<T, StoreError>) -> Result<(), &StoreError> {
    result.as_ref().map(|_| ())
}

/// Creations that one statement stores, with their results in the same order.
/// `results` is empty until the statement has returned.
struct Group<V, T> {
    values: Vec<V>,
    callers: Vec<Caller<T>>,
    results: Vec<Result<T, StoreError>>,
}

impl<V, T> Group<V, T> {
    fn new(writes: Vec<(V, Caller<T>)>) -> Self {
        let (values, callers) = writes.into_iter().unzip();
        Self {
            values,
            callers,
            results: Vec::new(),
        }
    }

    fn respond(self, confirmed: &Result<(), StoreError>) {
        let results = self.results.into_iter().map(Some);
        let results = results.chain(iter::repeat_with(|| None));
        for (caller, result) in self.callers.into_iter().zip(results) {
            respond(caller, result, confirmed);
        }
    }
}

/// The writes that one lane took from the queue together.
pub(super) struct Batch {
    pets: Group<NewPet, Pet>,
    once: Group<OnceOnly<NewPet>, Creation>,
    jobs: Vec<Box<dyn Job>>,
}

impl Batch {
    pub(super) fn of(writes: Vec<Write>) -> Self {
        let (mut pets, mut once, mut jobs) = (Vec::new(), Vec::new(), Vec::new());
        let mut keys = HashSet::new();
        for write in writes {
            match write {
                Write::Pet(pet, caller) => pets.push((pet, caller)),
                Write::Once(creation, caller) => {
                    let is_new = keys.insert((creation.once.key_id, creation.once.key.clone()));
                    if is_new {
                        once.push((creation, caller));
                    } else {
                        // A statement can contain a key only once.
                        let again = move |db: Arc<Session>| async move {
                            pets::insert_once(&db, creation).await
                        };
                        jobs.push(Other::boxed(again, caller));
                    }
                }
                Write::Other(job) => jobs.push(job),
            }
        }
        Self {
            pets: Group::new(pets),
            once: Group::new(once),
            jobs,
        }
    }

    /// Returns the number of writes.
    pub(super) fn len(&self) -> usize {
        self.pets.values.len() + self.once.values.len() + self.jobs.len()
    }

    /// Sends all writes before it waits for the first result.
    pub(super) async fn run(&mut self, db: &Arc<Session>) {
        let Self { pets, once, jobs } = self;
        let pets = async { pets.results = pets::insert_all(db, &pets.values).await };
        let once = async { once.results = pets::insert_all_once(db, &once.values).await };
        let jobs = join_all(jobs.iter_mut().map(|job| job.run(Arc::clone(db))));
        tokio::join!(pets, once, jobs);
    }

    /// Returns the results that are known.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = Result<(), &StoreError>> {
        let pets = self.pets.results.iter().map(outcome_of);
        let once = self.once.results.iter().map(outcome_of);
        let jobs = self.jobs.iter().filter_map(|job| job.outcome());
        pets.chain(once).chain(jobs)
    }

    /// Returns the results to the callers.
    pub(super) fn respond(self, confirmed: &Result<(), StoreError>) {
        self.pets.respond(confirmed);
        self.once.respond(confirmed);
        for job in self.jobs {
            job.respond(confirmed);
        }
    }
}
