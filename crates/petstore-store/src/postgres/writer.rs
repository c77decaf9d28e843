//! Runs the tasks that write, with group commit.
//!
//! Pets that wait at the same moment are stored by one statement, which is one
//! round trip and one transaction. Writes of keys go out in the same round
//! trip, each a transaction of its own, and so do orders.

use super::{
    batch::{BATCH, Batch, Caller, Message, Stored, Write, respond, take_up},
    error::{self, Fault},
    idempotency, pets,
    session::{Connector, Use},
    writes::Writes,
};
use crate::{
    Creation, StoreError, WriteStats, idempotency::OnceOnly, record::bytes_of, stats::Batches,
    write_queue::QueueCapacity,
};
use futures::future::{BoxFuture, join_all};
use petstore_models::{NewPet, Pet};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};

/// Writes that may wait. At 10,000 a second, a tenth of a second's work.
const QUEUE: usize = 1024;
/// Connections that write. While one waits for its commit, on the disk or on a
/// replica, the other collects the next batch.
const LANES: usize = 2;
/// How long a batch may take. Then its connection is dropped, and whether it
/// was committed is unknown.
const DEADLINE: Duration = Duration::from_secs(10);

type Inbox = Arc<Mutex<mpsc::Receiver<Message>>>;

/// The handle to the tasks, which end when this is dropped or closed.
pub(super) struct Writer {
    outbox: mpsc::Sender<Message>,
    capacity: QueueCapacity,
    lanes: Mutex<Vec<JoinHandle<()>>>,
    batches: Arc<Batches>,
}

impl Writer {
    pub(super) fn start(connector: &Arc<Connector>) -> Self {
        let (outbox, inbox) = mpsc::channel(QUEUE);
        let inbox = Arc::new(Mutex::new(inbox));
        let batches = Arc::<Batches>::default();
        let lane = || Lane {
            connector: Arc::clone(connector),
            batches: Arc::clone(&batches),
            connection: None,
        };
        let lanes = (0..LANES)
            .map(|_| tokio::spawn(lane().serve(Arc::clone(&inbox))))
            .collect();
        Self {
            outbox,
            capacity: QueueCapacity::default(),
            lanes: Mutex::new(lanes),
            batches,
        }
    }

    /// Hands a pet over and waits until it is stored. From the first poll on,
    /// to drop the future does not cancel it.
    pub(super) async fn create(&self, pet: NewPet) -> Result<Pet, StoreError> {
        let reservation = self.capacity.reserve(bytes_of(&pet))?;
        self.ask(|caller| Message::Pet(pet, caller, reservation))
            .await
    }

    /// As [`create`](Self::create), unless its key was used.
    pub(super) async fn create_once(
        &self,
        creation: OnceOnly<NewPet>,
    ) -> Result<Creation, StoreError> {
        let reservation = self.capacity.reserve(bytes_of(&creation.value))?;
        self.ask(|caller| Message::Once(creation, caller, reservation))
            .await
    }

    /// As [`create`](Self::create), for a write that is one transaction.
    pub(super) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Fn(Arc<Writes>) -> BoxFuture<'static, Result<T, StoreError>> + Send + 'static,
    {
        let message = |caller| {
            Message::Other(Box::new(Write {
                work,
                result: None,
                caller,
            }))
        };
        self.ask(message).await
    }

    async fn ask<T>(&self, message: impl FnOnce(Caller<T>) -> Message) -> Result<T, StoreError> {
        let (caller, result) = oneshot::channel();
        self.outbox
            .try_send(message(caller))
            .map_err(|rejected| match rejected {
                mpsc::error::TrySendError::Full(_) => StoreError::Overloaded,
                mpsc::error::TrySendError::Closed(_) => error::not_applied(Fault::Closed),
            })?;
        result
            .await
            .unwrap_or_else(|_| Err(error::unknown(Fault::WriterGone)))
    }

    /// `Ok` while writes are taken.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.outbox.is_closed() {
            Err(error::not_applied(Fault::Closed))
        } else {
            Ok(())
        }
    }

    pub(super) fn stats(&self) -> WriteStats {
        self.batches
            .stats(self.outbox.max_capacity() - self.outbox.capacity())
    }

    /// Returns when all that was handed over is done and the connections are
    /// closed.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        let mut lanes = self.lanes.lock().await;
        // An error means that nothing more is taken already.
        let _closed = self.outbox.send(Message::Close).await;
        for lane in lanes.drain(..) {
            lane.await.map_err(|_| error::unknown(Fault::WriterGone))?;
        }
        Ok(())
    }
}

/// A task with a connection of its own.
struct Lane {
    connector: Arc<Connector>,
    batches: Arc<Batches>,
    connection: Option<Arc<Writes>>,
}

impl Lane {
    async fn serve(mut self, inbox: Inbox) {
        let mut taken = Vec::with_capacity(BATCH);
        loop {
            let mut messages = inbox.lock().await;
            if !take_up(&mut messages, &mut taken).await {
                break;
            }
            if taken
                .iter()
                .any(|message| matches!(message, Message::Close))
            {
                // No further writes arrive; both lanes end when all results are returned.
                messages.close();
            }
            drop(messages);
            self.commit(Batch::of(taken.drain(..))).await;
        }
    }

    async fn commit(&mut self, mut batch: Batch) {
        if batch.writes() == 0 {
            return;
        }
        let writes = match self.connection().await {
            Ok(connection) => connection,
            Err(error) => return self.finish(batch, Stored::default(), Err(error)),
        };
        let session = &writes.session;
        let warnings = session.warnings();
        let Batch {
            pets, once, jobs, ..
        } = &mut batch;
        // All of it is sent before the first result is waited for.
        let pets = async {
            if pets.is_empty() {
                return Vec::new();
            }
            pets::insert_all(session, &writes.insert, pets).await
        };
        let once = async {
            if once.is_empty() {
                return Vec::new();
            }
            idempotency::insert_all(session, &writes.insert_once, once).await
        };
        let jobs = join_all(jobs.iter_mut().map(|job| job.run(Arc::clone(&writes))));
        let work = async {
            let (pets, once, _) = tokio::join!(pets, once, jobs);
            Stored { pets, once }
        };
        let (stored, confirmed) = match timeout(DEADLINE, work).await {
            Ok(stored) if session.warnings() == warnings => (stored, Ok(())),
            // It is unknown which of the transactions caused it.
            Ok(stored) => (stored, Err(error::unknown(Fault::Warned))),
            Err(_) => {
                session.cut();
                self.connection = None;
                (
                    Stored::default(),
                    Err(error::unknown(Fault::Deadline(DEADLINE))),
                )
            }
        };
        self.finish(batch, stored, confirmed);
    }

    /// The connection of this lane, made anew if there is none that works.
    async fn connection(&mut self) -> Result<Arc<Writes>, StoreError> {
        if let Some(connection) = self
            .connection
            .as_ref()
            .filter(|connection| !connection.session.is_closed())
        {
            return Ok(connection.clone());
        }
        self.connection = None;
        let session = self
            .connector
            .connect(Use::Write)
            .await
            .map_err(error::not_applied)?;
        let writes = timeout(DEADLINE, Writes::prepare(session))
            .await
            .map_err(|_| error::not_applied(Fault::Deadline(DEADLINE)))?
            .map_err(error::read_failed)?;
        Ok(Arc::clone(self.connection.insert(Arc::new(writes))))
    }

    fn finish(&mut self, batch: Batch, stored: Stored, confirmed: Result<(), StoreError>) {
        let failures = || {
            let pets = stored.pets.iter().filter_map(|pet| pet.as_ref().err());
            let once = stored.once.iter().filter_map(|pet| pet.as_ref().err());
            let jobs = batch.jobs.iter().filter_map(|job| job.outcome()?.err());
            pets.chain(once)
                .chain(jobs.filter(|error| !is_rejection(error)))
        };
        if failures().any(is_unavailable) {
            // After a failover a connection can be left that only reads.
            self.connection = None;
        }
        if let Some(error) = confirmed.as_ref().err().or_else(|| failures().next()) {
            let writes = batch.writes();
            tracing::error!(
                writes,
                cause = error::cause(error),
                "writes failed: {error}"
            );
        }
        // Counted before any caller can go on and ask for the figures.
        let outcomes = batch.jobs.iter().filter_map(|job| job.outcome());
        let jobs = outcomes.filter(Result::is_ok).count();
        let pets = stored.pets.iter().filter(|pet| pet.is_ok()).count();
        let once = stored.once.iter().filter(|pet| pet.is_ok()).count();
        let done = pets + once + jobs;
        if confirmed.is_ok() {
            self.batches.committed(done as u64);
        }
        respond(batch.pet_callers, stored.pets, &confirmed);
        respond(batch.once_callers, stored.once, &confirmed);
        for job in batch.jobs {
            job.respond(confirmed.clone());
        }
    }
}

/// Whether nothing failed, and the write was rejected because of its content.
fn is_rejection(error: &StoreError) -> bool {
    matches!(error, StoreError::KeyExists)
}

fn is_unavailable(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable { .. })
}
