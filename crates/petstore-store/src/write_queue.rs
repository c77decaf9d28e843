//! The queue of writes: hands each write to the tasks or the thread that write,
//! collects those that wait together into batches, and limits how many writes wait and
//! the memory that they hold.

use crate::{
    KeyId, StoreError, WriteStats,
    caller::caller,
    stats::{Batches, LARGEST_BATCH},
};
use fair_shares::{Share, Shares};
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

/// The number of writes that may wait: at 10,000 writes a second, the work of a tenth of a second.
/// One API key alone gets three quarters of it.
pub(crate) const QUEUE: usize = 1024;
/// The most bytes that queued and running writes may hold; one API key alone gets three
/// quarters of it. Beyond this a write is rejected; a write that is larger by itself is
/// accepted if nothing else is queued.
pub(crate) const QUEUE_BYTES: usize = 64 << 20;
/// The most writes in one transaction: a larger batch is not faster, and its first
/// writes would wait longer for its last ones.
pub(crate) const BATCH: usize = LARGEST_BATCH as usize;
/// The most bytes in one transaction. A batch that holds as many takes no further
/// write.
pub(crate) const BATCH_BYTES: usize = 8 << 20;
/// How long a health check waits for the write that it tries.
const PROBE: Duration = Duration::from_millis(400);

/// The channel that returns the result of a write to its caller.
pub(crate) type Caller<T> = oneshot::Sender<Result<T, StoreError>>;

/// The API key whose write it is, if there is one. Writes without a key share as those of one.
type Tenant = Option<KeyId>;

/// A write of the type `W` with what it holds of the queue, or the end of the queue.
pub(crate) enum Message<W> {
    Write(W, Waiting),
    Close,
}

/// Held by a write until a batch takes it.
pub(crate) struct Waiting {
    tenant: Tenant,
    _place: Share<Tenant>,
    reservation: Reservation,
}

/// Held by a write until it is done: its share of [`QUEUE_BYTES`].
pub(crate) struct Reservation {
    bytes: Share<Tenant>,
    batches: Arc<Batches>,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.batches.health.end();
    }
}

/// The sending half of the queue.
pub(crate) struct WriteQueue<W> {
    messages: mpsc::Sender<Message<W>>,
    places: Arc<Shares<Tenant>>,
    bytes: Arc<Shares<Tenant>>,
    pub(crate) batches: Arc<Batches>,
}

impl<W> WriteQueue<W> {
    pub(crate) fn new() -> (Self, Receiver<W>) {
        // Every write in the channel has a place; one more for the end.
        let (messages, received) = mpsc::channel(QUEUE + 1);
        let queue = Self {
            messages,
            places: Arc::new(Shares::new(QUEUE)),
            bytes: Arc::new(Shares::new(QUEUE_BYTES)),
            batches: Arc::default(),
        };
        (queue, Receiver::new(received))
    }

    /// Queues a write that holds this many bytes, and waits for its result. Once
    /// the future was polled, dropping it does not cancel the write.
    ///
    /// # Errors
    ///
    /// [`StoreError::Overloaded`]: too many writes wait, or they hold too many bytes.
    pub(crate) async fn write<T>(
        &self,
        bytes: usize,
        write: impl FnOnce(Caller<T>) -> W,
    ) -> Result<T, StoreError> {
        let waiting = self.wait(caller(), bytes)?;
        let (caller, result) = oneshot::channel();
        self.messages
            .try_send(Message::Write(write(caller), waiting))
            .map_err(|rejected| match rejected {
                mpsc::error::TrySendError::Full(_) => StoreError::Overloaded,
                mpsc::error::TrySendError::Closed(_) => StoreError::not_applied(Stopped::Closed),
            })?;
        result
            .await
            .unwrap_or_else(|_| Err(StoreError::unknown(Stopped::WriterGone)))
    }

    fn wait(&self, tenant: Tenant, bytes: usize) -> Result<Waiting, StoreError> {
        let place = self.places.try_take(&tenant, 1);
        let bytes = self.bytes.try_take(&tenant, bytes.min(QUEUE_BYTES));
        let (Some(place), Some(bytes)) = (place, bytes) else {
            return Err(StoreError::Overloaded);
        };
        self.batches.health.begin();
        Ok(Waiting {
            tenant,
            _place: place,
            reservation: Reservation {
                bytes,
                batches: Arc::clone(&self.batches),
            },
        })
    }

    /// Returns `Ok` while the queue accepts writes and they come to an end. If writes failed and
    /// none has been tried since, it tries one.
    pub(crate) async fn check<T>(
        &self,
        probe: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<(), StoreError> {
        if self.messages.is_closed() {
            return Err(StoreError::not_applied(Stopped::Closed));
        }
        let health = &self.batches.health;
        if health.wants_probe() {
            // The health check reports how it ends, even if it ends later.
            let _ended = timeout(PROBE, probe).await;
        }
        health.check()
    }

    pub(crate) fn stats(&self) -> WriteStats {
        WriteStats {
            queued: self.places.used(),
            ..self.batches.stats()
        }
    }

    /// Stops accepting writes. Writes that are queued already are still done.
    pub(crate) async fn close(&self) {
        // An error means that the queue is closed already.
        let _closed = self.messages.send(Message::Close).await;
    }
}

/// The receiving half of the queue.
pub(crate) struct Receiver<W> {
    messages: mpsc::Receiver<Message<W>>,
    /// The writes of each tenant that were received and did not fit into the last batch. No
    /// list is empty.
    left: HashMap<Tenant, VecDeque<(W, Waiting)>>,
    /// The tenants in `left`, in the order of their turns.
    turns: VecDeque<Tenant>,
}

impl<W> Receiver<W> {
    fn new(messages: mpsc::Receiver<Message<W>>) -> Self {
        Self {
            messages,
            left: HashMap::new(),
            turns: VecDeque::new(),
        }
    }

    /// Waits for the next message; `None` once there will be none.
    pub(crate) async fn recv(&mut self) -> Option<Message<W>> {
        match self.next_left() {
            Some(message) => Some(message),
            None => self.messages.recv().await,
        }
    }

    /// As [`recv`](Self::recv), on a thread.
    pub(crate) fn blocking_recv(&mut self) -> Option<Message<W>> {
        self.next_left().or_else(|| self.messages.blocking_recv())
    }

    pub(crate) fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Option<Message<W>>> {
        match self.next_left() {
            Some(message) => Poll::Ready(Some(message)),
            None => self.messages.poll_recv(context),
        }
    }

    /// The next message, if there is one now.
    pub(crate) fn try_recv(&mut self) -> Option<Message<W>> {
        self.next_left().or_else(|| self.messages.try_recv().ok())
    }

    /// The next write of the tenant whose turn it is.
    fn next_left(&mut self) -> Option<Message<W>> {
        let tenant = self.turns.pop_front()?;
        let writes = self.left.get_mut(&tenant)?;
        let next = writes.pop_front();
        if writes.is_empty() {
            self.left.remove(&tenant);
        } else {
            self.turns.push_back(tenant);
        }
        next.map(|(write, waiting)| Message::Write(write, waiting))
    }

    fn leave(&mut self, write: W, waiting: Waiting) {
        let tenant = waiting.tenant;
        let writes = self.left.entry(tenant).or_default();
        if writes.is_empty() {
            self.turns.push_back(tenant);
        }
        writes.push_back((write, waiting));
    }

    /// Receives all that is queued, so that tenants take turns among all of it.
    fn receive_all(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            match message {
                Message::Write(write, waiting) => self.leave(write, waiting),
                Message::Close => self.messages.close(),
            }
        }
    }
}

/// Takes the next batch: the first write and those that are queued behind it. If more
/// writes wait than a batch can hold, it takes them from the tenants in turn. The caller keeps their
/// reservations until the writes are done.
pub(crate) fn take_up<W>(
    first: Message<W>,
    messages: &mut Receiver<W>,
) -> (Vec<W>, Vec<Reservation>) {
    let (mut writes, mut reservations) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    // The rest of the last batch continues in turns, with later writes.
    if !messages.turns.is_empty() || messages.messages.len() >= BATCH {
        messages.receive_all();
    }
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Write(write, waiting) => {
                bytes += waiting.reservation.bytes.amount();
                writes.push(write);
                reservations.push(waiting.reservation);
            }
            // The receiver still returns the queued writes, and then `None`.
            Message::Close => messages.messages.close(),
        }
        let is_full = writes.len() == BATCH || bytes >= BATCH_BYTES;
        next = (!is_full).then(|| messages.try_recv()).flatten();
        if is_full {
            messages.receive_all();
        }
    }
    (writes, reservations)
}

/// Returns the result of a write to its caller: the write's own error if it has one,
/// otherwise the error of the whole batch, otherwise its value.
pub(crate) fn respond<T>(
    caller: Caller<T>,
    result: Option<Result<T, StoreError>>,
    committed: &Result<(), StoreError>,
) {
    let result = match (result, committed) {
        (Some(Err(own)), _) => Err(own),
        (_, Err(shared)) => Err(shared.clone()),
        (Some(Ok(value)), Ok(())) => Ok(value),
        (None, Ok(())) => Err(StoreError::unknown(Stopped::WriterGone)),
    };
    // An error means that the caller has stopped waiting; the write is valid.
    let _gone = caller.send(result);
}

/// Why a write cannot be queued or has no result.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(crate) enum Stopped {
    #[error("the store was closed")]
    Closed,
    #[error("the writer of the store ended early")]
    WriterGone,
}

#[cfg(test)]
mod tests;
