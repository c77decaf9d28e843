//! The queue of writes. It passes each write to the tasks or the thread that write,
//! collects waiting writes into batches, and limits the number of waiting writes and
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
/// A single API key may use at most three quarters of it.
pub(crate) const QUEUE: usize = 1024;
/// The greatest number of bytes that queued and running writes may hold. A single API key may use at
/// most three quarters of it. Further writes are rejected. A single write that is larger is
/// accepted if nothing else is queued.
pub(crate) const QUEUE_BYTES: usize = 64 << 20;
/// The greatest number of writes in one transaction. A larger batch is not faster, and its first
/// writes would wait longer for its last writes.
pub(crate) const BATCH: usize = LARGEST_BATCH as usize;
/// The greatest number of bytes in one transaction. A batch that has reached it takes no further
/// write.
pub(crate) const BATCH_BYTES: usize = 8 << 20;
/// How long a health check waits for the write that it tries.
const PROBE: Duration = Duration::from_millis(400);

/// The channel that returns the result of a write to its caller.
pub(crate) type Caller<T> = oneshot::Sender<Result<T, StoreError>>;

/// The API key of a write, if there is one. All writes without a key together count as one key.
type Tenant = Option<KeyId>;

/// A write of the type `W` with its share of the queue, or the end of the queue.
pub(crate) enum Message<W> {
    Write(W, Waiting),
    Close,
}

/// The share of the queue that a write holds until a batch takes it.
pub(crate) struct Waiting {
    tenant: Tenant,
    _place: Share<Tenant>,
    reservation: Reservation,
}

/// The share of [`QUEUE_BYTES`] that a write holds until it is finished.
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
        // One place for every write that may wait, and one for `Message::Close`.
        let (messages, received) = mpsc::channel(QUEUE + 1);
        let queue = Self {
            messages,
            places: Arc::new(Shares::new(QUEUE)),
            bytes: Arc::new(Shares::new(QUEUE_BYTES)),
            batches: Arc::default(),
        };
        (queue, Receiver::new(received))
    }

    /// Queues a write that holds this number of bytes, and waits for its result. After
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

    /// Returns `Ok` while the queue accepts writes and writes succeed. If a write has failed and no
    /// write has been tried since, this tries `probe`.
    pub(crate) async fn check<T>(
        &self,
        probe: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<(), StoreError> {
        if self.messages.is_closed() {
            return Err(StoreError::not_applied(Stopped::Closed));
        }
        let health = &self.batches.health;
        if health.wants_probe() {
            // `health` records how the probe ends, even if it ends later.
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

    /// Stops accepting writes. Writes that are already queued are still executed.
    pub(crate) async fn close(&self) {
        // An error means that the queue is already closed.
        let _closed = self.messages.send(Message::Close).await;
    }
}

/// The receiving half of the queue.
pub(crate) struct Receiver<W> {
    messages: mpsc::Receiver<Message<W>>,
    /// For each tenant, the writes that were received and did not fit into the last batch. No
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

    /// Waits for the next message. Returns `None` after the queue was closed and is empty.
    pub(crate) async fn recv(&mut self) -> Option<Message<W>> {
        match self.next_left() {
            Some(message) => Some(message),
            None => self.messages.recv().await,
        }
    }

    /// Returns when [`recv`](Self::recv) would return at once. Cancel safe.
    pub(crate) async fn ready(&mut self) {
        while self.turns.is_empty() {
            match self.messages.recv().await {
                Some(Message::Write(write, waiting)) => self.leave(write, waiting),
                // After this, the queued writes are still received, and then `None`.
                Some(Message::Close) => self.messages.close(),
                None => return,
            }
        }
    }

    /// Like [`recv`](Self::recv), but blocks the thread.
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

    /// Receives all queued messages, so that the tenants take turns among all of them.
    fn receive_all(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            match message {
                Message::Write(write, waiting) => self.leave(write, waiting),
                Message::Close => self.messages.close(),
            }
        }
    }
}

/// Takes the next batch: the first write and the writes that are queued behind it. If more
/// writes wait than a batch can hold, it takes them from the tenants in turn. The caller keeps the
/// reservations until the writes are finished.
pub(crate) fn take_up<W>(
    first: Message<W>,
    messages: &mut Receiver<W>,
) -> (Vec<W>, Vec<Reservation>) {
    let (mut writes, mut reservations) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    // Writes that did not fit into the last batch take turns with later writes.
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
            // After this, the receiver still returns the queued writes, and then `None`.
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
    // An error means that the caller no longer waits. The write is still valid.
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
