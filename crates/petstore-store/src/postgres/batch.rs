//! The batches of writes. One statement stores all new pets of a batch. Each other write
//! is its own transaction.

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
use std::{
    collections::HashSet,
    iter, mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A write that waits in the queue.
pub(super) enum Write {
    Pet(NewPet, Caller<Pet>),
    Once(OnceOnly<NewPet>, Caller<Creation>),
    Other(Box<dyn Job>),
}

/// Writes that have ended, with the callers that wait for their results.
pub(super) trait Ended: Send {
    /// The number of writes that succeeded.
    fn succeeded(&self) -> usize;

    fn errors(&self) -> Vec<&StoreError>;

    /// Returns the results to the callers.
    fn respond(self: Box<Self>, confirmed: &Result<(), StoreError>);
}

/// A write that is not a new pet, with the caller that waits for it.
pub(super) trait Job: Ended {
    /// Runs the write and stores its result in `self`.
    fn run(&mut self, db: Arc<Session>) -> BoxFuture<'_, ()>;
}

type Work<T> = Box<dyn FnOnce(Arc<Session>) -> BoxFuture<'static, Result<T, StoreError>> + Send>;

/// A write that is one transaction.
pub(super) struct Other<T> {
    /// `None` after the write has begun.
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
}

impl<T: Send> Ended for Other<T> {
    fn succeeded(&self) -> usize {
        usize::from(matches!(self.result, Some(Ok(_))))
    }

    fn errors(&self) -> Vec<&StoreError> {
        let error = self
            .result
            .as_ref()
            .and_then(|result| result.as_ref().err());
        error.into_iter().collect()
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

/// The writes of a batch that have ended and whose callers do not have the results yet.
#[derive(Default)]
pub(super) struct Results(Mutex<Vec<Box<dyn Ended>>>);

impl Results {
    fn add(&self, ended: Box<dyn Ended>) {
        self.ended().push(ended);
    }

    pub(super) fn take(&self) -> Vec<Box<dyn Ended>> {
        mem::take(&mut *self.ended())
    }

    fn ended(&self) -> MutexGuard<'_, Vec<Box<dyn Ended>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creations that one statement stores.
struct Group<V, T> {
    values: Vec<V>,
    /// Empty after the statement has returned.
    callers: Vec<Caller<T>>,
}

impl<V, T: Send + 'static> Group<V, T> {
    fn new(writes: Vec<(V, Caller<T>)>) -> Self {
        let (values, callers) = writes.into_iter().unzip();
        Self { values, callers }
    }

    /// Stores the values with `insert`, whose results are in the same order.
    async fn run<'group, F>(
        &'group mut self,
        results: &Results,
        insert: impl FnOnce(&'group [V]) -> F,
    ) where
        F: Future<Output = Vec<Result<T, StoreError>>>,
    {
        if self.values.is_empty() {
            return;
        }
        let stored = insert(&self.values).await;
        let callers = mem::take(&mut self.callers);
        results.add(Box::new(Stored { stored, callers }));
    }

    fn reject(self, error: &StoreError) {
        for caller in self.callers {
            respond(caller, None, &Err(error.clone()));
        }
    }
}

/// The results of a [`Group`].
struct Stored<T> {
    stored: Vec<Result<T, StoreError>>,
    callers: Vec<Caller<T>>,
}

impl<T: Send> Ended for Stored<T> {
    fn succeeded(&self) -> usize {
        self.stored.iter().filter(|stored| stored.is_ok()).count()
    }

    fn errors(&self) -> Vec<&StoreError> {
        let errors = self.stored.iter().map(|stored| stored.as_ref().err());
        errors.flatten().collect()
    }

    fn respond(self: Box<Self>, confirmed: &Result<(), StoreError>) {
        let results = self.stored.into_iter().map(Some);
        let results = results.chain(iter::repeat_with(|| None));
        for (caller, result) in self.callers.into_iter().zip(results) {
            respond(caller, result, confirmed);
        }
    }
}

/// The writes that a lane took from the queue together and that have not ended.
pub(super) struct Batch {
    pets: Group<NewPet, Pet>,
    once: Group<OnceOnly<NewPet>, Creation>,
    jobs: Vec<Option<Box<dyn Job>>>,
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
            jobs: jobs.into_iter().map(Some).collect(),
        }
    }

    /// Returns the number of writes.
    pub(super) fn len(&self) -> usize {
        self.pets.callers.len() + self.once.callers.len() + self.jobs.iter().flatten().count()
    }

    /// Sends all writes before it waits for the first result, and adds each result to `results` when it
    /// arrives. The creations of pets are sent first, because they never wait for locks.
    pub(super) async fn run(&mut self, db: &Arc<Session>, results: &Results) {
        let Self { pets, once, jobs } = self;
        let pets = pets.run(results, |pets| pets::insert_all(db, pets));
        let once = once.run(results, |once| pets::insert_all_once(db, once));
        let jobs = jobs.iter_mut().map(|job| run_job(job, db, results));
        tokio::join!(pets, once, join_all(jobs));
    }

    /// Returns this error to the callers of the writes that have not ended.
    pub(super) fn reject(self, error: &StoreError) {
        self.pets.reject(error);
        self.once.reject(error);
        for job in self.jobs.into_iter().flatten() {
            job.respond(&Err(error.clone()));
        }
    }
}

/// Runs a job, and moves it from `place` to the results.
async fn run_job(place: &mut Option<Box<dyn Job>>, db: &Arc<Session>, results: &Results) {
    if let Some(job) = place {
        job.run(Arc::clone(db)).await;
    }
    if let Some(job) = place.take() {
        results.add(job);
    }
}
