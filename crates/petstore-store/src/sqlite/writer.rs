//! The one thread that writes, and its group commit. A write is a closure that the
//! caller hands over.
//!
//! Writes that wait at the same moment share a transaction. First they run one
//! after the other with nothing between them, since in practice none fails. If
//! one does, all is rolled back and they run again, each behind a savepoint,
//! so that it fails alone. Therefore a write is a closure that can be called
//! again.

use super::{
    connection::Slot,
    error,
    files::Files,
    idle_transaction::{self, IdleTransaction},
};
use crate::{
    OpenError, StoreError, WriteStats,
    stats::{self, Batches},
    write_queue::{BATCH_BYTES, QueueCapacity, Reservation},
};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll, Wake},
    thread::{self, Thread},
    time::{Duration, Instant},
};
use tokio::sync::{mpsc, oneshot};

/// Writes that may wait. At 10,000 a second, a tenth of a second's work.
pub(super) const QUEUE: usize = 1024;
/// Writes in one transaction: beyond this a larger one gains nothing, and
/// those at its front would wait for those at its end.
pub(super) const BATCH: usize = 256;
const _: () = assert!(
    BATCH as u64 <= stats::LARGEST_BATCH,
    "each batch has its class"
);

/// The handle to the thread, which ends when this is dropped or closed.
pub(super) struct Writer {
    inbox: mpsc::Sender<Message>,
    capacity: QueueCapacity,
    batches: Arc<Batches>,
}

enum Message {
    Write(Box<dyn Job>, Reservation),
    Close(oneshot::Sender<()>),
}

/// A write with the caller who waits for it.
trait Job: Send {
    /// Runs the write and keeps its result; an error is the caller's too.
    fn run(&mut self, db: &Connection) -> Result<(), StoreError>;

    /// Returns the result to the caller, who may be gone. The write counts only if its
    /// transaction was committed.
    fn respond(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Write<T, W> {
    work: W,
    result: Option<Result<T, StoreError>>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> Job for Write<T, W>
where
    T: Send,
    W: FnMut(&Connection) -> Result<T, StoreError> + Send,
{
    fn run(&mut self, db: &Connection) -> Result<(), StoreError> {
        // Changes that the closure made before a panic are rolled back.
        let result = catch_unwind(AssertUnwindSafe(|| (self.work)(db)))
            .unwrap_or_else(|payload| Err(error::panicked(payload.as_ref())));
        self.result
            .insert(result)
            .as_ref()
            .map(|_| ())
            .map_err(Clone::clone)
    }

    fn respond(self: Box<Self>, committed: Result<(), StoreError>) {
        let result = match (self.result, committed) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(shared)) => Err(shared),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(error::writer_gone()),
        };
        // An error means that the caller did not wait; the write is valid.
        let _gone = self.caller.send(result);
    }
}

impl Writer {
    pub(super) fn start(slot: Slot, files: Option<Files>) -> Result<Self, OpenError> {
        let (inbox, messages) = mpsc::channel(QUEUE);
        let batches = Arc::<Batches>::default();
        let counted = Arc::clone(&batches);
        thread::Builder::new()
            .name("petstore-writer".to_owned())
            .spawn(move || serve(messages, &slot, files.as_ref(), &counted))
            .map_err(|source| OpenError::NoThread { source })?;
        Ok(Self {
            inbox,
            capacity: QueueCapacity::default(),
            batches,
        })
    }

    /// Hands `work` over and waits for its result. `work` may be called more
    /// than once, each time in a transaction without its earlier effects. From
    /// the first poll on, to drop the future does not cancel it.
    pub(super) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        self.write_large(0, work).await
    }

    /// As [`write`](Self::write), for work that holds so many bytes.
    pub(super) async fn write_large<T, W>(&self, bytes: usize, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let reservation = self.capacity.reserve(bytes)?;
        let (caller, result) = oneshot::channel();
        let job = Box::new(Write {
            work,
            result: None,
            caller,
        });
        let job = Message::Write(job, reservation);
        self.inbox
            .try_send(job)
            .map_err(|rejected| match rejected {
                mpsc::error::TrySendError::Full(_) => StoreError::Overloaded,
                mpsc::error::TrySendError::Closed(_) => error::closed(),
            })?;
        result.await.unwrap_or_else(|_| Err(error::writer_gone()))
    }

    /// `Ok` while writes are taken.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.inbox.is_closed() {
            Err(error::closed())
        } else {
            Ok(())
        }
    }

    pub(super) fn stats(&self) -> WriteStats {
        self.batches
            .stats(self.inbox.max_capacity() - self.inbox.capacity())
    }

    /// Returns when all that was handed over is done and the connection is
    /// closed.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        let (caller, done) = oneshot::channel();
        match self.inbox.send(Message::Close(caller)).await {
            Ok(()) => done.await.map_err(|_| error::writer_gone()),
            // Another call closes it already.
            Err(_) => Ok(()),
        }
    }
}

fn serve(
    mut messages: mpsc::Receiver<Message>,
    slot: &Slot,
    files: Option<&Files>,
    batches: &Batches,
) {
    let mut taken = Vec::with_capacity(BATCH);
    let mut closers = Vec::new();
    // In memory, readers use the same connection.
    let mut idle = files.map(|_| IdleTransaction::default());
    while take_up(&mut messages, &mut taken, slot, idle.as_mut()) {
        let mut jobs = Vec::with_capacity(taken.len());
        let mut reservations = Vec::with_capacity(taken.len());
        for message in taken.drain(..) {
            match message {
                Message::Write(job, reservation) => {
                    jobs.push(job);
                    reservations.push(reservation);
                }
                Message::Close(caller) => {
                    // No further writes arrive; the loop ends when all results are returned.
                    messages.close();
                    closers.push(caller);
                }
            }
        }
        if !jobs.is_empty() {
            commit(slot, files, jobs, batches);
        }
    }
    shut(slot);
    for caller in closers {
        let _gone = caller.send(());
    }
}

/// Waits for the first message and takes up those that wait with it; `false`
/// once there will be none.
fn take_up(
    messages: &mut mpsc::Receiver<Message>,
    taken: &mut Vec<Message>,
    slot: &Slot,
    idle: Option<&mut IdleTransaction>,
) -> bool {
    let mut bytes = 0;
    let mut next = wait(messages, slot, idle);
    while let Some(message) = next {
        if let Message::Write(_, reservation) = &message {
            bytes += reservation.bytes();
        }
        taken.push(message);
        let is_full = taken.len() == BATCH || bytes >= BATCH_BYTES;
        next = (!is_full).then(|| messages.try_recv().ok()).flatten();
    }
    !taken.is_empty()
}

/// The next message; `None` once there will be none.
fn wait(
    messages: &mut mpsc::Receiver<Message>,
    slot: &Slot,
    idle: Option<&mut IdleTransaction>,
) -> Option<Message> {
    let Some(idle) = idle else {
        return messages.blocking_recv();
    };
    if let Ok(message) = messages.try_recv() {
        return Some(message);
    }
    let mut held = slot.hold();
    let Ok(db) = held.open() else {
        return messages.blocking_recv();
    };
    loop {
        idle.begin(db);
        if let Poll::Ready(message) = wait_for(messages, idle_transaction::PERIOD) {
            idle.end(db);
            return message;
        }
    }
}

/// As `blocking_recv`, but not longer than `time`.
fn wait_for(messages: &mut mpsc::Receiver<Message>, time: Duration) -> Poll<Option<Message>> {
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut context = Context::from_waker(&waker);
    let end = Instant::now() + time;
    loop {
        let received = messages.poll_recv(&mut context);
        let left = end.saturating_duration_since(Instant::now());
        if received.is_ready() || left.is_zero() {
            return received;
        }
        thread::park_timeout(left);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn commit(slot: &Slot, files: Option<&Files>, mut jobs: Vec<Box<dyn Job>>, batches: &Batches) {
    // Results are returned after the connection is free again: in memory, readers
    // use the same one.
    let committed = findable(files, || {
        slot.hold().open().and_then(|db| together(db, &mut jobs))
    });
    match &committed {
        Ok(writes) => batches.committed(*writes),
        Err(error) => {
            let cause = std::error::Error::source(error).map(ToString::to_string);
            tracing::error!(
                writes = jobs.len(),
                cause,
                "a batch of writes failed: {error}"
            );
        }
    }
    let committed = committed.map(|_| ());
    for job in jobs {
        job.respond(committed.clone());
    }
}

/// A commit counts only if it is in the file that the next start will open.
fn findable(
    files: Option<&Files>,
    commit: impl FnOnce() -> Result<u64, StoreError>,
) -> Result<u64, StoreError> {
    let Some(files) = files else { return commit() };
    files.check().map_err(error::moved_before)?;
    let writes = commit()?;
    files.check().map_err(error::moved_meanwhile)?;
    Ok(writes)
}

/// Runs and commits all jobs in one transaction, and says how many writes were
/// committed. An error concerns all of them.
fn together(db: &mut Connection, jobs: &mut [Box<dyn Job>]) -> Result<u64, StoreError> {
    let batch = begin(db)?;
    if jobs.iter_mut().all(|job| job.run(&batch).is_ok()) {
        batch.commit().map_err(error::commit_failed)?;
        return Ok(jobs.len() as u64);
    }
    batch.finish().map_err(error::failed)?;
    if jobs.len() == 1 {
        Ok(0)
    } else {
        apart(db, jobs)
    }
}

/// As [`together`], but each job can fail without the others.
fn apart(db: &mut Connection, jobs: &mut [Box<dyn Job>]) -> Result<u64, StoreError> {
    let mut batch = begin(db)?;
    let mut writes = 0;
    for job in jobs {
        let savepoint = batch.savepoint().map_err(error::failed)?;
        match job.run(&savepoint) {
            Ok(()) => {
                savepoint.commit().map_err(error::failed)?;
                writes += 1;
            }
            // A full disk and the like end the whole transaction: what the
            // others did is gone too, and the next would be on its own.
            Err(fault) if savepoint.is_autocommit() => return Err(fault),
            Err(_) => savepoint.finish().map_err(error::failed)?,
        }
    }
    batch.commit().map_err(error::commit_failed)?;
    Ok(writes)
}

/// Takes the lock for writing at once: a lock that is asked for later can be
/// rejected without a wait, and after the first job has run.
fn begin(db: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    db.transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(error::failed)
}

/// Writes the log back into the file and closes the connection. Nothing is
/// lost if that fails: the next one who opens the file reads the log.
fn shut(slot: &Slot) {
    let Some(db) = slot.empty() else { return };
    let written_back = db.pragma(None, "wal_checkpoint", "truncate", |_| Ok(()));
    if let Err(error) = written_back.and_then(|()| db.close().map_err(|(_, error)| error)) {
        tracing::warn!(%error, "the database was not closed cleanly; the next start recovers it");
    }
}
