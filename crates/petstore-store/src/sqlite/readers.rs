//! Pools the connections that read. A read of pages that are in memory runs on the
//! thread of its caller. A read that would wait for the disk runs on a thread that may
//! wait, so that a slow disk does not block a thread of the runtime: only the requests
//! that need the disk wait, and they end at their deadline.

use super::{
    connection::{self, Slot},
    error, records,
};
use crate::{
    PoolStats, StoreError,
    row::{FromRow, Value},
    write_queue::Stopped,
};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};
use tokio::sync::oneshot;

pub(super) struct Readers {
    slots: Vec<Slot>,
    waits: AtomicU64,
    /// `None` in memory, where no read waits for a disk.
    disk_readers: Option<DiskReaders>,
}

static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The number of a thread. Each thread tries its own connection first, so that threads do not
    /// wait for the same lock, and each finds its statements and pages in the caches of its connection.
    static OWN: usize = THREADS.fetch_add(1, Ordering::Relaxed);
}

impl Readers {
    /// Creates a pool. `slots` must not be empty.
    pub(super) fn new(slots: Vec<Slot>, disk_readers: Option<DiskReaders>) -> Self {
        debug_assert!(!slots.is_empty(), "a store without a connection to read");
        Self {
            slots,
            waits: AtomicU64::new(0),
            disk_readers,
        }
    }

    /// Runs `work` on a free connection. If it would have to wait for the disk, it runs again on
    /// another thread. `work` uses one snapshot only if it is one statement.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(disk_readers) = &self.disk_readers else {
            return self.read_here(work);
        };
        match sqlite_nowait::without_waiting(|| self.read_here(&work)) {
            Some(result) => result,
            None => disk_readers.read(work).await,
        }
    }

    /// Runs `work` on this thread.
    pub(super) fn read_here<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let own = OWN.with(|own| own % self.slots.len());
        let (before, from_own) = self.slots.split_at(own);
        let free = from_own.iter().chain(before).find_map(Slot::try_hold);
        let mut held = free.unwrap_or_else(|| {
            self.waits.fetch_add(1, Ordering::Relaxed);
            self.slots[own].hold()
        });
        work(connection::open(&mut held)?).map_err(error::failed)
    }

    /// Returns all rows of a statement.
    pub(super) async fn query<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        parameters: Vec<Value<'static>>,
    ) -> Result<Vec<T>, StoreError> {
        self.read(move |db| records::all(db, sql, &parameters))
            .await
    }

    /// Returns the statistics. Checks each connection now, instead of counting each read.
    pub(super) fn stats(&self) -> PoolStats {
        let limit = self.slots.len();
        let mut stats = PoolStats {
            limit,
            waits: self.waits.load(Ordering::Relaxed),
            ..PoolStats::default()
        };
        for slot in &self.slots {
            match slot.try_hold() {
                None => stats.used += 1,
                Some(held) => stats.idle += usize::from(held.is_some()),
            }
        }
        stats
    }

    /// Waits for running reads, and closes the connections. Closing the last connection copies the
    /// log into the file, which takes as long as the disk needs. After
    /// [`CLOSE_TIMEOUT`], this function returns and closing continues in the background, at most
    /// until the process ends. If it does not finish, the log stays next to the file.
    pub(super) async fn close(&self) {
        let slots = self.slots.clone();
        let (closed_others, others) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let closing = thread::Builder::new().spawn(move || {
            let connections: Vec<_> = slots.iter().map(|slot| slot.hold().take()).collect();
            // The last two connections must not be closed at the same moment: then neither of them would
            // remove the log.
            let _ = others.blocking_recv();
            drop(connections);
            let _ = end.send(());
        });
        let closed = async {
            if let Some(disk_readers) = &self.disk_readers {
                disk_readers.close().await;
            }
            let _ = closed_others.send(());
            closing.map(|_| ())?;
            ended.await.map_err(io::Error::other)
        };
        match tokio::time::timeout(CLOSE_TIMEOUT, closed).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the read connections were not closed"),
            Err(_) => tracing::warn!(
                "the disk did not finish a read within {CLOSE_TIMEOUT:?}; the write-ahead log (`-wal`) \
                 stays beside the database, and the next start reads it"
            ),
        }
    }
}

/// How long closing waits for the disk.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// Threads that may wait for the disk, each with its own connection.
pub(super) struct DiskReaders {
    /// `None` after the store was closed.
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
    /// Closed when the last thread has closed its connection.
    ended: tokio::sync::Mutex<tokio::sync::mpsc::Receiver<()>>,
}

impl DiskReaders {
    /// Starts one thread for each connection.
    pub(super) fn start(connections: Vec<Connection>) -> io::Result<Self> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let (running, ended) = tokio::sync::mpsc::channel(1);
        let queue = Arc::new(Mutex::new(queue));
        for connection in connections {
            let (queue, running) = (Arc::clone(&queue), running.clone());
            let next = move || queue.lock().recv();
            thread::Builder::new()
                .name("sqlite-reader".to_owned())
                .spawn(move || {
                    while let Ok(job) = next() {
                        job(&connection);
                    }
                    drop(connection);
                    drop(running);
                })?;
        }
        Ok(Self {
            jobs: Mutex::new(Some(jobs)),
            ended: tokio::sync::Mutex::new(ended),
        })
    }

    /// Runs `work` on a thread that may wait, unless its caller was dropped meanwhile.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (result, receiver) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            if !result.is_closed() {
                let _ = result.send(catch_unwind(AssertUnwindSafe(|| work(db))));
            }
        });
        let closed = || StoreError::not_applied(Stopped::Closed);
        {
            let jobs = self.jobs.lock();
            let jobs = jobs.as_ref().ok_or_else(closed)?;
            jobs.send(job).map_err(|_| closed())?;
        }
        match receiver.await.map_err(|_| closed())? {
            Ok(result) => result.map_err(error::failed),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Ends the threads after the queued reads, and waits until their connections are closed.
    async fn close(&self) {
        *self.jobs.lock() = None;
        self.ended.lock().await.recv().await;
    }
}
