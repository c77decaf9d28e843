//! The single thread that writes, and its group commit. A write is a closure of the
//! caller.
//!
//! Writes that wait at the same moment share a transaction. First they run one
//! after the other without savepoints, since failures are rare. If
//! a write fails, everything is rolled back and all writes run again, each with its own
//! savepoint, so that only the failing write fails. Therefore a write is a closure that can be
//! called several times.

use super::{
    connection::{self, Slot},
    error,
    files::Files,
    idle_transaction::{self, IdleTransaction},
    key_cache::KeyCache,
};
use crate::{
    OpenProblem, StoreError,
    stats::Batches,
    write_queue::{Caller, Message, Receiver, Stopped, WriteQueue, respond, take_up},
};
use parking_lot::Mutex;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use sqlite_nowait::wal_version;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Poll, Wake},
    thread::{self, Thread},
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

/// The handle to the thread, which ends when this is dropped or closed.
pub(super) struct Writer {
    pub(super) queue: WriteQueue<Box<dyn Job>>,
    /// Receives a message when the thread has closed the connection; `None` after the writer was closed.
    /// The thread is not joined, since it may hang in a write that the disk does not finish.
    ended: Mutex<Option<oneshot::Receiver<()>>>,
}

type Messages = Receiver<Box<dyn Job>>;

/// A write with the caller that waits for it.
pub(super) trait Job: Send {
    /// Runs the write and stores its result in `self`. An error is also returned.
    fn run(&mut self, db: &Connection) -> Result<(), StoreError>;

    /// The error of the write itself.
    fn error(&self) -> Option<&StoreError>;

    /// Returns the result to the caller. The write counts only if its transaction was
    /// committed.
    fn respond(self: Box<Self>, committed: &Result<(), StoreError>);
}

struct Write<T, W> {
    work: W,
    result: Option<Result<T, StoreError>>,
    caller: Caller<T>,
}

impl<T, W> Job for Write<T, W>
where
    T: Send,
    W: FnMut(&Connection) -> rusqlite::Result<T> + Send,
{
    fn run(&mut self, db: &Connection) -> Result<(), StoreError> {
        // Changes that the closure made before a panic are rolled back.
        let result = match catch_unwind(AssertUnwindSafe(|| (self.work)(db))) {
            Ok(result) => result.map_err(error::failed),
            Err(payload) => Err(error::panicked(payload.as_ref())),
        };
        self.result
            .insert(result)
            .as_ref()
            .map(|_| ())
            .map_err(Clone::clone)
    }

    fn error(&self) -> Option<&StoreError> {
        self.result.as_ref()?.as_ref().err()
    }

    fn respond(self: Box<Self>, committed: &Result<(), StoreError>) {
        respond(self.caller, self.result, committed);
    }
}

impl Writer {
    pub(super) fn start(
        slot: Slot,
        files: Option<Files>,
        keys: Arc<KeyCache>,
    ) -> Result<Self, OpenProblem> {
        let (queue, messages) = WriteQueue::new();
        let batches = Arc::clone(&queue.batches);
        let (end, ended) = oneshot::channel();
        thread::Builder::new()
            .name("petstore-writer".to_owned())
            .spawn(move || {
                let database = Database { slot, files, keys };
                serve(messages, &database, &batches);
                let _ = end.send(());
            })
            .map_err(OpenProblem::NoThread)?;
        Ok(Self {
            queue,
            ended: Mutex::new(Some(ended)),
        })
    }

    /// Queues `work` and waits for its result. `work` may be called more
    /// than once, each time in a transaction without its earlier effects. After
    /// the first poll, dropping the future does not cancel the work.
    pub(super) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        self.write_large(0, work).await
    }

    /// Like [`write`](Self::write), for work that holds this number of bytes.
    pub(super) async fn write_large<T, W>(&self, bytes: usize, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: FnMut(&Connection) -> rusqlite::Result<T> + Send + 'static,
    {
        let job = |caller| -> Box<dyn Job> {
            Box::new(Write {
                work,
                result: None,
                caller,
            })
        };
        self.queue.write(bytes, job).await
    }

    /// Returns when all queued writes are finished and the connection is
    /// closed.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        self.queue.close().await;
        let ended = self.ended.lock().take();
        let Some(ended) = ended else {
            // Another call is already closing it.
            return Ok(());
        };
        let gone = |_| StoreError::unknown(Stopped::WriterGone);
        ended.await.map_err(gone)
    }
}

/// What the thread writes to.
struct Database {
    slot: Slot,
    files: Option<Files>,
    keys: Arc<KeyCache>,
}

fn serve(mut messages: Messages, database: &Database, batches: &Batches) {
    // In memory, readers use the same connection.
    let mut idle = database.files.as_ref().map(|_| IdleTransaction::default());
    while let Some(first) = wait(&mut messages, &database.slot, idle.as_mut()) {
        let (writes, _reservations) = take_up(first, &mut messages);
        if !writes.is_empty() {
            commit(database, writes, batches);
        }
    }
    shut(&database.slot);
}

/// Waits for the next message. Returns `None` after the queue was closed and is empty.
fn wait(
    messages: &mut Messages,
    slot: &Slot,
    idle: Option<&mut IdleTransaction>,
) -> Option<Message<Box<dyn Job>>> {
    let Some(idle) = idle else {
        return messages.blocking_recv();
    };
    if let Some(message) = messages.try_recv() {
        return Some(message);
    }
    let mut held = slot.hold();
    let Some(db) = held.as_mut() else {
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

/// Like `blocking_recv`, but waits no longer than `time`.
fn wait_for(messages: &mut Messages, time: Duration) -> Poll<Option<Message<Box<dyn Job>>>> {
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

fn commit(database: &Database, mut jobs: Vec<Box<dyn Job>>, batches: &Batches) {
    let Database { slot, files, keys } = database;
    // Results are returned after the connection is free again: in memory, readers
    // use the same connection.
    let committed = findable(files.as_ref(), || {
        let mut held = slot.hold();
        let db = connection::open(&mut held)?;
        let before = wal_version(db);
        let writes = together(db, &mut jobs, keys)?;
        // A commit of another process also shows that the disk can be written.
        let needed_disk = before.is_none() || wal_version(db) != before;
        Ok((writes, needed_disk))
    });
    match &committed {
        Ok((writes @ 1.., false)) => batches.ended_without_disk(*writes),
        Ok((writes, _)) => batches.ended(*writes, jobs.iter().find_map(|job| job.error())),
        Err(error) => {
            batches.ended(0, Some(error));
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
        job.respond(&committed);
    }
}

/// Runs a commit, and checks that it went into the file that the next start will open.
fn findable<T>(
    files: Option<&Files>,
    commit: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let Some(files) = files else { return commit() };
    files.check().map_err(StoreError::not_applied)?;
    let committed = commit()?;
    // The batch may have been written to a file that was moved or replaced meanwhile.
    files.check().map_err(StoreError::unknown)?;
    Ok(committed)
}

/// Runs and commits all jobs in one transaction, and returns the number of committed writes. An error applies to all jobs.
fn together(
    db: &mut Connection,
    jobs: &mut [Box<dyn Job>],
    keys: &KeyCache,
) -> Result<u64, StoreError> {
    let batch = begin(db)?;
    let before = keys.begin_batch(&batch);
    if jobs.iter_mut().all(|job| job.run(&batch).is_ok()) {
        batch.commit().map_err(commit_failed)?;
        keys.end_batch(before, db);
        return Ok(jobs.len() as u64);
    }
    batch.finish().map_err(error::failed)?;
    if jobs.len() == 1 {
        Ok(0)
    } else {
        apart(db, jobs)
    }
}

/// Like [`together`], but each job can fail without the others.
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
            // Errors such as a full disk end the whole transaction: the changes of
            // the other jobs are rolled back, too, and the next job would run without a transaction.
            Err(fault) if savepoint.is_autocommit() => return Err(fault),
            Err(_) => savepoint.finish().map_err(error::failed)?,
        }
    }
    batch.commit().map_err(commit_failed)?;
    Ok(writes)
}

/// Maps the error of a failed `COMMIT`. SQLite rolls the transaction back, but its log records may already be on
/// the disk: if the power fails before they are overwritten, recovery applies them.
fn commit_failed(error: rusqlite::Error) -> StoreError {
    StoreError::unknown(error)
}

/// Begins a transaction and takes the write lock at once. If the lock were requested later, SQLite
/// could reject it without waiting, after the first job has run.
fn begin(db: &mut Connection) -> Result<Transaction<'_>, StoreError> {
    db.transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(error::failed)
}

/// Writes the log into the file and closes the connection. Nothing is
/// lost if this fails: the next connection that opens the file reads the log.
fn shut(slot: &Slot) {
    let Some(db) = slot.hold().take() else { return };
    let written_back = db.pragma(None, "wal_checkpoint", "truncate", |_| Ok(()));
    if let Err(error) = written_back.and_then(|()| db.close().map_err(|(_, error)| error)) {
        tracing::warn!(%error, "the database was not closed cleanly; the next start recovers it");
    }
}
