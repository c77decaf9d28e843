//! Runs the tasks that write, with group commit.
//!
//! Pets that wait at the same moment are stored by one statement, which is one
//! round trip and one transaction. Writes of keys go out in the same round
//! trip, each a transaction of its own, and so do orders.

use super::{
    batch::{Batch, Other, Write},
    error::{self, Fault},
    orders, pets,
    session::{Connector, Session, Use},
};
use crate::{
    StoreError,
    stats::Batches,
    write_queue::{Receiver, Stopped, WriteQueue, take_up},
};
use std::{sync::Arc, time::Duration};
use tokio::{sync::Mutex, task::JoinHandle, time::timeout};

/// Connections that write. While one waits for its commit, on the disk or on a
/// replica, the other collects the next batch.
const LANES: usize = 2;
/// How long a batch may take. Then its connection is dropped, and whether it
/// was committed is unknown.
const DEADLINE: Duration = Duration::from_secs(10);

type Inbox = Arc<Mutex<Receiver<Write>>>;

/// The handle to the tasks, which end when this is dropped or closed.
pub(super) struct Writer {
    pub(super) queue: WriteQueue<Write>,
    lanes: Mutex<Vec<JoinHandle<()>>>,
}

impl Writer {
    pub(super) fn start(connector: &Arc<Connector>) -> Self {
        let (queue, messages) = WriteQueue::new();
        let inbox = Arc::new(Mutex::new(messages));
        let lane = || Lane {
            connector: Arc::clone(connector),
            batches: Arc::clone(&queue.batches),
            connection: None,
        };
        let lanes = (0..LANES)
            .map(|_| tokio::spawn(lane().serve(Arc::clone(&inbox))))
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

/// A task with a connection of its own.
struct Lane {
    connector: Arc<Connector>,
    batches: Arc<Batches>,
    connection: Option<Arc<Session>>,
}

impl Lane {
    async fn serve(mut self, inbox: Inbox) {
        loop {
            let mut messages = inbox.lock().await;
            let Some(first) = messages.recv().await else {
                break;
            };
            let (writes, _reservations) = take_up(first, &mut messages);
            drop(messages);
            let batch = Batch::of(writes);
            if batch.len() > 0 {
                self.commit(batch).await;
            }
        }
    }

    async fn commit(&mut self, mut batch: Batch) {
        let session = match self.connection().await {
            Ok(session) => session,
            Err(error) => return self.finish(batch, Err(error)),
        };
        let warnings = session.warnings();
        let confirmed = match timeout(DEADLINE, batch.run(&session)).await {
            Ok(()) if session.warnings() == warnings => Ok(()),
            // It is unknown which of the transactions caused it.
            Ok(()) => Err(StoreError::unknown(Fault::Warned)),
            Err(_) => {
                session.cut();
                self.connection = None;
                Err(StoreError::unknown(Fault::Deadline(DEADLINE)))
            }
        };
        self.finish(batch, confirmed);
    }

    /// The connection of this lane, made anew if there is none that works.
    async fn connection(&mut self) -> Result<Arc<Session>, StoreError> {
        let connection = self.connection.take();
        let connection = match connection.filter(|connection| !connection.is_closed()) {
            Some(connection) => connection,
            None => {
                let session = self.connector.connect(Use::Write).await;
                let session = session.map_err(StoreError::not_applied)?;
                let statements: [&'static str; 5] = [
                    &pets::INSERT,
                    &pets::INSERT_ONCE,
                    &orders::CREATE,
                    &orders::CREATE_ONCE,
                    &orders::UPDATE,
                ];
                timeout(DEADLINE, session.prepare(statements))
                    .await
                    .map_err(|_| StoreError::not_applied(Fault::Deadline(DEADLINE)))?
                    .map_err(error::read_failed)?;
                Arc::new(session)
            }
        };
        Ok(Arc::clone(self.connection.insert(connection)))
    }

    fn finish(&mut self, batch: Batch, confirmed: Result<(), StoreError>) {
        // `KeyExists` is a result that callers expect, not a failure.
        let failures = || {
            let errors = batch.outcomes().filter_map(Result::err);
            errors.filter(|error| !matches!(error, StoreError::KeyExists))
        };
        if failures().any(|error| matches!(error, StoreError::Unavailable { .. })) {
            // After a failover a connection can be left that only reads.
            self.connection = None;
        }
        if let Some(error) = confirmed.as_ref().err().or_else(|| failures().next()) {
            let writes = batch.len();
            tracing::error!(
                writes,
                cause = error::cause(error),
                "writes failed: {error}"
            );
        }
        // Counted before any caller can go on and ask for the figures.
        let done = match confirmed {
            Ok(()) => batch.outcomes().filter(Result::is_ok).count(),
            Err(_) => 0,
        };
        let error = confirmed.as_ref().err().or_else(|| failures().next());
        self.batches.ended(done as u64, error);
        batch.respond(&confirmed);
    }
}
