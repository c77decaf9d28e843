//! Queues writes, takes batches from the queue, and returns the results to the
//! callers.

use super::{
    error::{self, Fault},
    writes::Writes,
};
use crate::{
    Creation, StoreError,
    idempotency::OnceOnly,
    stats,
    write_queue::{BATCH_BYTES, Reservation},
};
use async_trait::async_trait;
use futures::future::BoxFuture;
use petstore_models::{NewPet, Pet};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Pets in one transaction.
pub(super) const BATCH: usize = 256;
const _: () = assert!(
    BATCH as u64 <= stats::LARGEST_BATCH,
    "each batch has its class"
);

pub(super) type Caller<T> = oneshot::Sender<Result<T, StoreError>>;

/// A write that waits.
pub(super) enum Message {
    Pet(NewPet, Caller<Pet>, Reservation),
    Once(OnceOnly<NewPet>, Caller<Creation>, Reservation),
    Other(Box<dyn Job>),
    Close,
}

/// A write that is not a new pet, with the caller who waits for it.
#[async_trait]
pub(super) trait Job: Send {
    /// Runs the write and keeps its result.
    async fn run(&mut self, db: Arc<Writes>);

    /// The result of the write itself.
    fn outcome(&self) -> Option<Result<(), &StoreError>>;

    /// Returns the result to the caller, who may be gone.
    fn respond(self: Box<Self>, confirmed: Result<(), StoreError>);
}

pub(super) struct Write<T, W> {
    pub(super) work: W,
    pub(super) result: Option<Result<T, StoreError>>,
    pub(super) caller: Caller<T>,
}

#[async_trait]
impl<T, W> Job for Write<T, W>
where
    T: Send,
    W: Fn(Arc<Writes>) -> BoxFuture<'static, Result<T, StoreError>> + Send,
{
    async fn run(&mut self, db: Arc<Writes>) {
        let work = (self.work)(db);
        self.result = Some(work.await);
    }

    fn outcome(&self) -> Option<Result<(), &StoreError>> {
        self.result
            .as_ref()
            .map(|result| result.as_ref().map(|_| ()))
    }

    fn respond(self: Box<Self>, confirmed: Result<(), StoreError>) {
        // An error means that the caller did not wait; the write is valid.
        let _gone = self.caller.send(settle(self.result, confirmed));
    }
}

/// The results of the pets of a batch, each in the order of its batch; empty
/// where nothing is known of it.
#[derive(Default)]
pub(super) struct Stored {
    pub(super) pets: Vec<Result<Pet, StoreError>>,
    pub(super) once: Vec<Result<Creation, StoreError>>,
}

/// The writes that one lane took from the queue together.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) pets: Vec<NewPet>,
    pub(super) pet_callers: Vec<Caller<Pet>>,
    pub(super) once: Vec<OnceOnly<NewPet>>,
    pub(super) once_callers: Vec<Caller<Creation>>,
    pub(super) jobs: Vec<Box<dyn Job>>,
    /// Returned when the batch is done.
    reservations: Vec<Reservation>,
}

impl Batch {
    pub(super) fn of(messages: impl Iterator<Item = Message>) -> Self {
        let mut batch = Self::default();
        for message in messages {
            match message {
                Message::Pet(pet, caller, reservation) => {
                    batch.pets.push(pet);
                    batch.pet_callers.push(caller);
                    batch.reservations.push(reservation);
                }
                Message::Once(creation, caller, reservation) => {
                    batch.once.push(creation);
                    batch.once_callers.push(caller);
                    batch.reservations.push(reservation);
                }
                Message::Other(job) => batch.jobs.push(job),
                Message::Close => {}
            }
        }
        batch
    }

    pub(super) fn writes(&self) -> usize {
        self.pets.len() + self.once.len() + self.jobs.len()
    }
}

/// Waits for the first message and takes up those that wait with it; `false`
/// once there will be none.
pub(super) async fn take_up(
    messages: &mut mpsc::Receiver<Message>,
    taken: &mut Vec<Message>,
) -> bool {
    let mut bytes = 0;
    let mut next = messages.recv().await;
    while let Some(message) = next {
        if let Message::Pet(_, _, reservation) | Message::Once(_, _, reservation) = &message {
            bytes += reservation.bytes();
        }
        taken.push(message);
        let is_full = taken.len() == BATCH || bytes >= BATCH_BYTES;
        next = (!is_full).then(|| messages.try_recv().ok()).flatten();
    }
    !taken.is_empty()
}

/// Returns the results to the callers. Some may have stopped waiting; their writes are valid.
pub(super) fn respond<T>(
    callers: Vec<Caller<T>>,
    results: Vec<Result<T, StoreError>>,
    confirmed: &Result<(), StoreError>,
) {
    let results = results
        .into_iter()
        .map(Some)
        .chain(std::iter::repeat_with(|| None));
    for (caller, result) in callers.into_iter().zip(results) {
        let _gone = caller.send(settle(result, confirmed.clone()));
    }
}

/// The result of a write: its own error if it has one, else what is wrong with
/// the whole batch, else its result.
fn settle<T>(
    result: Option<Result<T, StoreError>>,
    confirmed: Result<(), StoreError>,
) -> Result<T, StoreError> {
    match (result, confirmed) {
        (Some(Err(own)), _) => Err(own),
        (_, Err(shared)) => Err(shared),
        (Some(Ok(value)), Ok(())) => Ok(value),
        (None, Ok(())) => Err(error::unknown(Fault::WriterGone)),
    }
}
