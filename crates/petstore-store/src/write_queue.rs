//! The queue of writes: hands each write to the tasks or the thread that write,
//! collects those that wait together into batches, and limits how many writes wait and
//! the memory that they hold.

use crate::{
    StoreError, WriteStats,
    stats::{Batches, LARGEST_BATCH},
};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

/// The number of writes that may wait: at 10,000 writes a second, the work of a tenth of a second.
pub(crate) const QUEUE: usize = 1024;
/// The most bytes that queued and running writes may hold. Beyond this a write is
/// rejected; a write that is larger by itself is accepted if nothing else is queued.
pub(crate) const QUEUE_BYTES: usize = 64 << 20;
/// The most writes in one transaction: a larger batch is not faster, and its first
/// writes would wait longer for its last ones.
pub(crate) const BATCH: usize = LARGEST_BATCH as usize;
/// The most bytes in one transaction. A batch that holds as many takes no further
/// write.
pub(crate) const BATCH_BYTES: usize = 8 << 20;

/// The channel that returns the result of a write to its caller.
pub(crate) type Caller<T> = oneshot::Sender<Result<T, StoreError>>;

/// A write of the type `W` with its share of [`QUEUE_BYTES`], or the end of the queue.
pub(crate) enum Message<W> {
    Write(W, OwnedSemaphorePermit),
    Close,
}

/// The sending half of the queue.
pub(crate) struct WriteQueue<W> {
    messages: mpsc::Sender<Message<W>>,
    free_bytes: Arc<Semaphore>,
    pub(crate) batches: Arc<Batches>,
}

impl<W> WriteQueue<W> {
    pub(crate) fn new() -> (Self, mpsc::Receiver<Message<W>>) {
        let (messages, received) = mpsc::channel(QUEUE);
        let queue = Self {
            messages,
            free_bytes: Arc::new(Semaphore::new(QUEUE_BYTES)),
            batches: Arc::default(),
        };
        (queue, received)
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
        let reservation = self.reserve(bytes)?;
        let (caller, result) = oneshot::channel();
        self.messages
            .try_send(Message::Write(write(caller), reservation))
            .map_err(|rejected| match rejected {
                mpsc::error::TrySendError::Full(_) => StoreError::Overloaded,
                mpsc::error::TrySendError::Closed(_) => StoreError::not_applied(Stopped::Closed),
            })?;
        result
            .await
            .unwrap_or_else(|_| Err(StoreError::unknown(Stopped::WriterGone)))
    }

    fn reserve(&self, bytes: usize) -> Result<OwnedSemaphorePermit, StoreError> {
        let bytes = bytes.min(QUEUE_BYTES) as u32;
        Arc::clone(&self.free_bytes)
            .try_acquire_many_owned(bytes)
            .map_err(|_| StoreError::Overloaded)
    }

    /// Returns `Ok` while the queue accepts writes.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.messages.is_closed() {
            Err(StoreError::not_applied(Stopped::Closed))
        } else {
            Ok(())
        }
    }

    pub(crate) fn stats(&self) -> WriteStats {
        WriteStats {
            queued: self.messages.max_capacity() - self.messages.capacity(),
            ..self.batches.stats()
        }
    }

    /// Stops accepting writes. Writes that are queued already are still done.
    pub(crate) async fn close(&self) {
        // An error means that the queue is closed already.
        let _closed = self.messages.send(Message::Close).await;
    }
}

/// Takes the next batch: the first write and those that are queued behind it. The
/// caller keeps their reservations until the writes are done.
pub(crate) fn take_up<W>(
    first: Message<W>,
    messages: &mut mpsc::Receiver<Message<W>>,
) -> (Vec<W>, Vec<OwnedSemaphorePermit>) {
    let (mut writes, mut reservations) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Write(write, reservation) => {
                bytes += reservation.num_permits();
                writes.push(write);
                reservations.push(reservation);
            }
            // The receiver still returns the queued writes, and then `None`.
            Message::Close => messages.close(),
        }
        let is_full = writes.len() == BATCH || bytes >= BATCH_BYTES;
        next = (!is_full).then(|| messages.try_recv().ok()).flatten();
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
mod tests {
    use super::*;

    #[test]
    fn a_reservation_beyond_the_limit_is_rejected_and_a_dropped_one_is_returned() {
        let (queue, _messages) = WriteQueue::<()>::new();
        let most = queue.reserve(QUEUE_BYTES - 1).expect("it is empty");
        let last = queue.reserve(1).expect("it just fits");
        assert!(matches!(queue.reserve(1), Err(StoreError::Overloaded)));
        assert!(queue.reserve(0).is_ok());
        drop(last);
        assert!(queue.reserve(1).is_ok());
        assert!(queue.reserve(2).is_err());
        drop(most);
        assert!(queue.reserve(2).is_ok());
    }

    #[test]
    fn a_write_that_is_larger_than_the_limit_is_accepted_alone() {
        let (queue, _messages) = WriteQueue::<()>::new();
        let large = queue.reserve(QUEUE_BYTES + 1).expect("nothing is queued");
        assert!(queue.reserve(1).is_err());
        drop(large);
        let small = queue.reserve(1).expect("it fits");
        assert!(queue.reserve(QUEUE_BYTES + 1).is_err());
        assert!(queue.reserve(usize::MAX).is_err());
        drop(small);
    }
}
