//! Starts the lanes and passes the queued writes to them. A lane is a task that writes over its own
//! connection, with group commit.
//!
//! One statement stores all pets that wait at the same moment: one
//! round trip and one transaction. Writes of keys and orders are sent in the same round
//! trip, each in its own transaction.

use super::{
    batch::{Batch, Other, Write},
    error::is_locked,
    lane::Lane,
    session::{Connector, Session},
};
use crate::{
    StoreError,
    caller::{caller, on_behalf_of},
    stats::Batches,
    write_queue::{Receiver, Reservation, Stopped, WriteQueue, take_up},
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Mutex, Notify, Semaphore, SemaphorePermit, watch},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};

/// The number of connections that write. While one waits for the disk or a replica to complete
/// its commit, the other collects the next batch.
const LANES: usize = 2;
/// How long a lane waits for the batch of another lane. Two small batches at the same time cost the server
/// more than one large batch after the other. But commits that wait for a slow disk or replica must not delay
/// each other, so a lane does not wait if the last batch took longer.
const TURN: Duration = Duration::from_millis(5);

/// How long a write is tried again while another transaction has locked its rows.
const LOCKED: Duration = Duration::from_secs(5);
/// The pause before the second attempt; it doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The handle to the lanes. They end when this is dropped or closed.
pub(super) struct Writer {
    pub(super) queue: WriteQueue<Write>,
    lanes: Mutex<Vec<JoinHandle<()>>>,
}

/// What the lanes share.
pub(super) struct Shared {
    pub(super) connector: Arc<Connector>,
    pub(super) batches: Arc<Batches>,
    messages: Mutex<Receiver<Write>>,
    turns: Turns,
    /// The number of lanes that take writes.
    pub(super) working: watch::Sender<usize>,
    /// Notified when a lane has taken writes, so that another lane connects.
    pub(super) demand: Notify,
    /// Whether the queue is closed and empty.
    pub(super) ended: watch::Sender<bool>,
}

/// Lets one batch run at a time, as long as batches are fast.
struct Turns {
    only: Semaphore,
    /// Whether the last batch took longer than [`TURN`].
    is_slow: AtomicBool,
}

/// The turn of a batch. It ends when this is dropped.
pub(super) struct Turn<'turns> {
    /// `None` if another batch runs, too.
    permit: Option<SemaphorePermit<'turns>>,
    begun: Instant,
    is_slow: &'turns AtomicBool,
}

impl Turns {
    fn new() -> Self {
        Self {
            only: Semaphore::new(1),
            is_slow: AtomicBool::new(false),
        }
    }

    /// Waits for the end of the running batch, but not for long.
    async fn next(&self) -> Turn<'_> {
        let mut permit = self.only.try_acquire().ok();
        if permit.is_none() && !self.is_slow.load(Ordering::Relaxed) {
            let waited = timeout(TURN, self.only.acquire()).await;
            // The semaphore is never closed.
            permit = waited.ok().and_then(Result::ok);
            self.is_slow.store(permit.is_none(), Ordering::Relaxed);
        }
        Turn {
            permit,
            begun: Instant::now(),
            is_slow: &self.is_slow,
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.permit.is_some() {
            let is_slow = self.begun.elapsed() > TURN;
            self.is_slow.store(is_slow, Ordering::Relaxed);
        }
    }
}

impl Shared {
    /// Takes the waiting writes, usually after the other lane's batch has ended. Returns `None` after the queue is closed and
    /// empty. Cancel safe: no write is lost if the future is dropped. The caller must keep the reservations and the turn until the
    /// writes are finished.
    pub(super) async fn next_batch(&self) -> Option<(Batch, (Vec<Reservation>, Turn<'_>))> {
        let mut messages = self.messages.lock().await;
        messages.ready().await;
        let turn = self.turns.next().await;
        let Some(first) = messages.recv().await else {
            self.ended.send_replace(true);
            return None;
        };
        let (writes, reservations) = take_up(first, &mut messages);
        Some((Batch::of(writes), (reservations, turn)))
    }
}

impl Writer {
    /// Starts the lanes; the first one writes over this connection.
    pub(super) fn start(connector: &Arc<Connector>, session: Session) -> Self {
        let (queue, messages) = WriteQueue::new();
        let shared = Arc::new(Shared {
            connector: Arc::clone(connector),
            batches: Arc::clone(&queue.batches),
            messages: Mutex::new(messages),
            turns: Turns::new(),
            working: watch::Sender::new(0),
            demand: Notify::new(),
            ended: watch::Sender::new(false),
        });
        let mut session = Some(Arc::new(session));
        let lanes = (0..LANES)
            .map(|_| tokio::spawn(Lane::new(Arc::clone(&shared)).run(session.take())))
            .collect();
        Self {
            queue,
            lanes: Mutex::new(lanes),
        }
    }

    /// Queues a write that is its own transaction, and waits for its result.
    pub(super) async fn write<T, F>(
        &self,
        work: impl FnOnce(Arc<Session>) -> F + Send + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let write = |caller| Write::Other(Other::boxed(work, caller));
        self.queue.write(0, write).await
    }

    /// Like [`write`](Self::write), for work that fails with [`Fault::Locked`](super::error::Fault::Locked)
    /// instead of waiting for a lock. The work is tried again for some seconds, each time as a new
    /// write, so that no connection and no other write waits meanwhile.
    pub(super) async fn write_rows<T, F>(
        self: &Arc<Self>,
        work: impl Fn(Arc<Session>) -> F + Clone + Send + Sync + 'static,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let first = self.write(work.clone()).await;
        if !first.as_ref().is_err_and(is_locked) {
            return first;
        }
        let writer = Arc::clone(self);
        let until_done = async move {
            let deadline = Instant::now() + LOCKED;
            let mut pause = FIRST_PAUSE;
            loop {
                sleep(pause).await;
                let done = writer.write(work.clone()).await;
                if Instant::now() >= deadline || !done.as_ref().is_err_and(is_locked) {
                    return done;
                }
                pause = LONGEST_PAUSE.min(2 * pause);
            }
        };
        // This is a task, so that the write is not cancelled if the caller stops waiting.
        let done = tokio::spawn(on_behalf_of(caller(), until_done)).await;
        done.unwrap_or_else(|_| Err(StoreError::unknown(Stopped::WriterGone)))
    }

    /// Returns when all queued writes are done and the connections are closed.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        let mut lanes = self.lanes.lock().await;
        self.queue.close().await;
        for lane in lanes.drain(..) {
            let ended = lane.await;
            ended.map_err(|_| StoreError::unknown(Stopped::WriterGone))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    const MOMENT: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn a_batch_waits_for_a_fast_one_but_not_for_long_and_not_again() {
        let turns = Turns::new();
        let first = turns.next().await;
        let next = async { (turns.next().await, Instant::now()) };
        let end = async {
            sleep(MOMENT).await;
            drop(first);
            Instant::now()
        };
        let ((second, begun), ended) = tokio::join!(next, end);
        assert_eq!(begun, ended, "the second waits until the first has ended");

        let before = Instant::now();
        drop(turns.next().await);
        assert_eq!(before.elapsed(), TURN, "the second takes long");
        let third = turns.next().now_or_never();
        assert!(third.is_some(), "the next one does not wait");
        drop((third, second));

        // The second was slow, and this one is fast.
        drop(turns.next().await);
        let running = turns.next().await;
        assert!(turns.next().now_or_never().is_none(), "batches wait again");
        drop(running);
    }
}
