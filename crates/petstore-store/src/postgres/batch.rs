//! The batches of writes: new pets, which one statement stores together, and other
//! writes, each of which is a transaction of its own.

use super::{error::Fault, pets, session::Session};
use crate::{
    Creation, StoreError,
    idempotency::OnceOnly,
    stats::Batches,
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

/// The result of each write that a batch passes on.
pub(super) struct Results<'lane> {
    db: &'lane Session,
    /// The warnings on the connection before the batch.
    warnings: u64,
    batches: &'lane Batches,
}

impl<'lane> Results<'lane> {
    pub(super) fn new(db: &'lane Session, batches: &'lane Batches) -> Self {
        let warnings = db.warnings();
        Self {
            db,
            warnings,
            batches,
        }
    }

    /// Whether the transactions that ended so far are confirmed. It is unknown which of them
    /// caused a warning.
    pub(super) fn confirmed(&self) -> Result<(), StoreError> {
        match self.db.warnings() == self.warnings {
            true => Ok(()),
            false => Err(StoreError::unknown(Fault::Warned)),
        }
    }
}

/// Counts the writes of a transaction. It has to be done before any caller can go on and ask
/// for the figures.
fn count<'error>(
    batches: &Batches,
    confirmed: &Result<(), StoreError>,
    outcomes: impl Iterator<Item = Result<(), &'error StoreError>> + Clone,
) {
    let done = match confirmed {
        Ok(()) => outcomes.clone().filter(Result::is_ok).count(),
        Err(_) => 0,
    };
    let error = confirmed.as_ref().err();
    batches.ended(done as u64, error.or_else(|| failures(outcomes).next()));
}

/// `KeyExists` is a result that callers expect, not a failure.
fn failures<'error>(
    outcomes: impl Iterator<Item = Result<(), &'error StoreError>>,
) -> impl Iterator<Item = &'error StoreError> {
    let errors = outcomes.filter_map(Result::err);
    errors.filter(|error| !matches!(error, StoreError::KeyExists))
}

/// Creations that one statement stores, until their results are passed on.
struct Group<V, T> {
    values: Vec<V>,
    callers: Vec<Caller<T>>,
}

impl<V, T> Group<V, T> {
    fn new(writes: Vec<(V, Caller<T>)>) -> Self {
        let (values, callers) = writes.into_iter().unzip();
        Self { values, callers }
    }

    /// Stores the values with `insert`, and passes the results on, which are in the order of the
    /// values. Returns the errors.
    async fn run<'group, F>(
        &'group mut self,
        results: &Results<'_>,
        insert: impl FnOnce(&'group [V]) -> F,
    ) -> Vec<StoreError>
    where
        F: Future<Output = Vec<Result<T, StoreError>>>,
    {
        if self.values.is_empty() {
            return Vec::new();
        }
        let stored = insert(&self.values).await;
        let confirmed = results.confirmed();
        count(results.batches, &confirmed, stored.iter().map(outcome_of));
        let errors = failures(stored.iter().map(outcome_of)).cloned().collect();
        let stored = stored.into_iter().map(Some);
        let stored = stored.chain(iter::repeat_with(|| None));
        for (caller, result) in self.callers.drain(..).zip(stored) {
            respond(caller, result, &confirmed);
        }
        errors
    }

    fn reject(self, error: &StoreError) {
        for caller in self.callers {
            respond(caller, None, &Err(error.clone()));
        }
    }
}

/// The writes that one lane took from the queue together, without those whose results were
/// passed on.
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

    /// Sends all writes before it waits for the first result, and passes each result on when it
    /// is there: a write that waits for a lock delays those that the server runs after it, and
    /// the creations are not among them. Returns the errors.
    pub(super) async fn run(
        &mut self,
        db: &Arc<Session>,
        results: &Results<'_>,
    ) -> Vec<StoreError> {
        let Self { pets, once, jobs } = self;
        let pets = pets.run(results, |pets| pets::insert_all(db, pets));
        let once = once.run(results, |once| pets::insert_all_once(db, once));
        let jobs = jobs.iter_mut().map(|job| run_job(job, db, results));
        let (pets, once, jobs) = tokio::join!(pets, once, join_all(jobs));
        let errors = pets.into_iter().chain(once);
        errors.chain(jobs.into_iter().flatten()).collect()
    }

    /// Returns this error to the callers that have no result.
    pub(super) fn reject(self, error: &StoreError) {
        self.pets.reject(error);
        self.once.reject(error);
        for job in self.jobs.into_iter().flatten() {
            job.respond(&Err(error.clone()));
        }
    }
}

/// Runs a job and passes its result on, after which it is gone. Returns its error.
async fn run_job(
    slot: &mut Option<Box<dyn Job>>,
    db: &Arc<Session>,
    results: &Results<'_>,
) -> Option<StoreError> {
    slot.as_mut()?.run(Arc::clone(db)).await;
    let job = slot.take()?;
    let confirmed = results.confirmed();
    let outcome = job.outcome();
    count(results.batches, &confirmed, outcome.into_iter());
    let error = failures(outcome.into_iter()).next().cloned();
    job.respond(&confirmed);
    error
}
