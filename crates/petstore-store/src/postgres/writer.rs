//! The tasks that write, and their group commit. What a write does is left to
//! `pets` and `keys`.
//!
//! Pets that wait at the same moment are stored by one statement, which is one
//! round trip and one transaction. Writes of keys go out in the same round
//! trip, each a transaction of its own.

use super::{
    error::{self, Fault},
    pets,
    session::{Connector, Session, Use},
};
use crate::{StoreError, WriteStats};
use async_trait::async_trait;
use futures::future::{BoxFuture, join_all};
use petstore_models::{NewPet, Pet};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Mutex, mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};
use tokio_postgres::Statement;

/// Writes that may wait. At 10,000 a second, a tenth of a second's work.
const QUEUE: usize = 1024;
/// Pets in one transaction.
const BATCH: usize = 256;
/// Connections that write. While one waits for its commit, on the disk or on a
/// replica, the other collects the next batch.
const LANES: usize = 2;
/// How long a batch may take. Then its connection is dropped, and whether it
/// was committed is unknown.
const DEADLINE: Duration = Duration::from_secs(10);

type Caller<T> = oneshot::Sender<Result<T, StoreError>>;
type Inbox = Arc<Mutex<mpsc::Receiver<Message>>>;

/// The handle to the tasks, which end when this is dropped or closed.
pub(super) struct Writer {
    outbox: mpsc::Sender<Message>,
    lanes: Mutex<Vec<JoinHandle<()>>>,
    counters: Arc<Counters>,
}

enum Message {
    Pet(NewPet, Caller<Pet>),
    Other(Box<dyn Job>),
    Close,
}

#[derive(Default)]
struct Counters {
    batches: AtomicU64,
    writes: AtomicU64,
}

/// A write that is not of a pet, with the caller who waits for it.
#[async_trait]
trait Job: Send {
    /// Runs the write and keeps its result.
    async fn run(&mut self, db: Arc<Session>);

    /// Whether the write itself succeeded.
    fn is_done(&self) -> bool;

    /// Answers the caller, who may be gone.
    fn answer(self: Box<Self>, confirmed: Result<(), StoreError>);
}

struct Write<T, W> {
    work: W,
    result: Option<Result<T, StoreError>>,
    caller: Caller<T>,
}

#[async_trait]
impl<T, W> Job for Write<T, W>
where
    T: Send,
    W: Fn(Arc<Session>) -> BoxFuture<'static, Result<T, StoreError>> + Send,
{
    async fn run(&mut self, db: Arc<Session>) {
        let work = (self.work)(db);
        self.result = Some(work.await);
    }

    fn is_done(&self) -> bool {
        matches!(self.result, Some(Ok(_)))
    }

    fn answer(self: Box<Self>, confirmed: Result<(), StoreError>) {
        // An error means that the caller did not wait; the write stands.
        let _gone = self.caller.send(settle(self.result, confirmed));
    }
}

impl Writer {
    pub(super) fn start(connector: &Arc<Connector>) -> Self {
        let (outbox, inbox) = mpsc::channel(QUEUE);
        let inbox = Arc::new(Mutex::new(inbox));
        let counters = Arc::<Counters>::default();
        let lane = || Lane {
            connector: Arc::clone(connector),
            counters: Arc::clone(&counters),
            connection: None,
        };
        let lanes = (0..LANES)
            .map(|_| tokio::spawn(lane().serve(Arc::clone(&inbox))))
            .collect();
        Self {
            outbox,
            lanes: Mutex::new(lanes),
            counters,
        }
    }

    /// Hands a pet over and waits until it is stored. From the first poll on,
    /// to drop the future does not cancel it.
    pub(super) async fn create(&self, pet: NewPet) -> Result<Pet, StoreError> {
        let (caller, answer) = oneshot::channel();
        self.hand_over(Message::Pet(pet, caller))?;
        answer
            .await
            .unwrap_or_else(|_| Err(error::unknown(Fault::WriterGone)))
    }

    /// As [`create`](Self::create), for a write that is one transaction.
    pub(super) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: Fn(Arc<Session>) -> BoxFuture<'static, Result<T, StoreError>> + Send + 'static,
    {
        let (caller, answer) = oneshot::channel();
        self.hand_over(Message::Other(Box::new(Write {
            work,
            result: None,
            caller,
        })))?;
        answer
            .await
            .unwrap_or_else(|_| Err(error::unknown(Fault::WriterGone)))
    }

    fn hand_over(&self, message: Message) -> Result<(), StoreError> {
        self.outbox
            .try_send(message)
            .map_err(|refused| match refused {
                mpsc::error::TrySendError::Full(_) => StoreError::Overloaded,
                mpsc::error::TrySendError::Closed(_) => error::not_applied(Fault::Closed),
            })
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
        WriteStats {
            batches: self.counters.batches.load(Ordering::Relaxed),
            writes: self.counters.writes.load(Ordering::Relaxed),
            queued: self.outbox.max_capacity() - self.outbox.capacity(),
        }
    }

    /// Returns when all that was handed over is answered and the connections
    /// are closed.
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
    counters: Arc<Counters>,
    connection: Option<Connection>,
}

#[derive(Clone)]
struct Connection {
    session: Arc<Session>,
    insert: Statement,
}

impl Lane {
    async fn serve(mut self, inbox: Inbox) {
        let mut taken = Vec::with_capacity(BATCH);
        loop {
            let mut messages = inbox.lock().await;
            if messages.recv_many(&mut taken, BATCH).await == 0 {
                break;
            }
            if taken
                .iter()
                .any(|message| matches!(message, Message::Close))
            {
                // Nothing more comes in; both lanes end once all is out.
                messages.close();
            }
            drop(messages);
            self.commit(Batch::of(taken.drain(..))).await;
        }
    }

    async fn commit(&mut self, mut batch: Batch) {
        if batch.is_empty() {
            return;
        }
        let Connection { session, insert } = match self.connection().await {
            Ok(connection) => connection,
            Err(error) => return self.finish(batch, Vec::new(), Err(error)),
        };
        let warnings = session.warnings();
        let Batch { pets, jobs, .. } = &mut batch;
        let work = async {
            let jobs = join_all(jobs.iter_mut().map(|job| job.run(Arc::clone(&session))));
            if pets.is_empty() {
                jobs.await;
                return Vec::new();
            }
            tokio::join!(pets::insert_all(&session, &insert, pets), jobs).0
        };
        let (stored, confirmed) = match timeout(DEADLINE, work).await {
            Ok(stored) if session.warnings() == warnings => (stored, Ok(())),
            // Which of the transactions it was about cannot be told.
            Ok(stored) => (stored, Err(error::unknown(Fault::Warned))),
            Err(_) => {
                session.cut();
                self.connection = None;
                (Vec::new(), Err(error::unknown(Fault::Deadline(DEADLINE))))
            }
        };
        self.finish(batch, stored, confirmed);
    }

    /// The connection of this lane, made anew if there is none that works.
    async fn connection(&mut self) -> Result<Connection, StoreError> {
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
        let prepared = timeout(DEADLINE, pets::prepare_insert(session.client())).await;
        let insert = prepared
            .map_err(|_| error::not_applied(Fault::Deadline(DEADLINE)))?
            .map_err(error::read_failed)?;
        Ok(self
            .connection
            .insert(Connection {
                session: Arc::new(session),
                insert,
            })
            .clone())
    }

    fn finish(
        &mut self,
        batch: Batch,
        stored: Vec<Result<Pet, StoreError>>,
        confirmed: Result<(), StoreError>,
    ) {
        if stored.iter().any(is_unavailable) {
            // After a failover a connection can be left that only reads.
            self.connection = None;
        }
        if let Some(error) = confirmed
            .as_ref()
            .err()
            .or_else(|| stored.iter().find_map(|pet| pet.as_ref().err()))
        {
            let writes = batch.callers.len() + batch.jobs.len();
            tracing::error!(
                writes,
                cause = error::cause(error),
                "writes failed: {error}"
            );
        }
        // Counted before anybody is answered, who could ask for the figures.
        let jobs = batch.jobs.iter().filter(|job| job.is_done()).count();
        let done = stored.iter().filter(|pet| pet.is_ok()).count() + jobs;
        if confirmed.is_ok() && done > 0 {
            self.counters.batches.fetch_add(1, Ordering::Relaxed);
            self.counters
                .writes
                .fetch_add(done as u64, Ordering::Relaxed);
        }
        let results = stored
            .into_iter()
            .map(Some)
            .chain(std::iter::repeat_with(|| None));
        for (caller, result) in batch.callers.into_iter().zip(results) {
            let _gone = caller.send(settle(result, confirmed.clone()));
        }
        for job in batch.jobs {
            job.answer(confirmed.clone());
        }
    }
}

/// What one lane took up at once.
#[derive(Default)]
struct Batch {
    pets: Vec<NewPet>,
    callers: Vec<Caller<Pet>>,
    jobs: Vec<Box<dyn Job>>,
}

impl Batch {
    fn of(messages: impl Iterator<Item = Message>) -> Self {
        let mut batch = Self::default();
        for message in messages {
            match message {
                Message::Pet(pet, caller) => {
                    batch.pets.push(pet);
                    batch.callers.push(caller);
                }
                Message::Other(job) => batch.jobs.push(job),
                Message::Close => {}
            }
        }
        batch
    }

    fn is_empty(&self) -> bool {
        self.callers.is_empty() && self.jobs.is_empty()
    }
}

/// The answer to a write: its own error if it has one, else what is wrong with
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

fn is_unavailable(stored: &Result<Pet, StoreError>) -> bool {
    matches!(stored, Err(StoreError::Unavailable { .. }))
}
