//! Starts the lanes, tasks that each write over a connection of their own, with group commit, and
//! hands them the writes that wait.
//!
//! Pets that wait at the same moment are stored by one statement, which is one
//! round trip and one transaction. Writes of keys go out in the same round
//! trip, each a transaction of its own, and so do orders.

use super::{
    batch::{Batch, Other, Write},
    lane::Lane,
    session::{Connector, Session},
};
use crate::{
    StoreError,
    stats::Batches,
    write_queue::{Receiver, Reservation, Stopped, WriteQueue, take_up},
};
use std::sync::Arc;
use tokio::{
    sync::{Mutex, Notify, watch},
    task::JoinHandle,
};

/// Connections that write. While one waits for its commit, on the disk or on a
/// replica, the other collects the next batch.
const LANES: usize = 2;

/// The handle to the tasks, which end when this is dropped or closed.
pub(super) struct Writer {
    pub(super) queue: WriteQueue<Write>,
    lanes: Mutex<Vec<JoinHandle<()>>>,
}

/// What the lanes share.
pub(super) struct Shared {
    pub(super) connector: Arc<Connector>,
    pub(super) batches: Arc<Batches>,
    messages: Mutex<Receiver<Write>>,
    /// The number of lanes that take writes.
    pub(super) working: watch::Sender<usize>,
    /// Notified when a lane has taken writes, so that another one is of use.
    pub(super) demand: Notify,
    /// Whether the queue is closed and empty.
    pub(super) ended: watch::Sender<bool>,
}

impl Shared {
    /// Takes the writes that wait; `None` once the queue is closed and empty. Cancel safe: no
    /// write is lost if the future is dropped. The reservations are kept until the writes are
    /// done.
    pub(super) async fn next_batch(&self) -> Option<(Batch, Vec<Reservation>)> {
        let mut messages = self.messages.lock().await;
        let Some(first) = messages.recv().await else {
            self.ended.send_replace(true);
            return None;
        };
        let (writes, reservations) = take_up(first, &mut messages);
        Some((Batch::of(writes), reservations))
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

    /// Queues a write that is a transaction of its own, and waits for its result.
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

    /// Returns when all that was handed over is done and the connections are
    /// closed.
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
