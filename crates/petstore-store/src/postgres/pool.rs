//! Pools the connections that read: a few connections, each shared by many
//! callers at once. The statements on a connection are pipelined: they follow
//! each other without waiting for results.
//!
//! A pool of the usual kind lends a connection to one caller at a time. Here
//! every read is one short statement, so there is nothing to lend it for, and
//! sharing serves two to three times as many reads over as many connections.

use super::{
    error::{self, Fault},
    keys::KeyReads,
    records::Reads,
    session::{Connector, Session, Use},
};
use crate::{PoolStats, StoreError};
use petstore_models::{Order, Pet};
use std::{
    error::Error as _,
    future::Future,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::{
    sync::{Mutex, Semaphore},
    time::timeout,
};
use tokio_postgres::{Error, error::Severity};

/// Callers that share a connection; beyond it they wait for a place.
const SHARERS: usize = 32;
/// How long a read may take, all waiting included.
const DEADLINE: Duration = Duration::from_secs(5);
/// How long the server works on one of them; less than [`DEADLINE`], so that
/// only a connection that is dead is ever given up.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(3);

pub(super) struct Readers {
    connector: Arc<Connector>,
    slots: Vec<Slot>,
    waits: AtomicU64,
    closed: AtomicBool,
}

struct Slot {
    places: Semaphore,
    reader: Mutex<Option<Arc<Reader>>>,
}

/// A connection with its prepared statements.
pub(super) struct Reader {
    pub(super) session: Session,
    pub(super) pets: Reads,
    pub(super) keys: KeyReads,
    pub(super) orders: Reads,
}

impl Readers {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        // A backend of the server is a process: more of them than the machine
        // has processors only pass the work around.
        let connections = thread::available_parallelism()
            .map_or(4, usize::from)
            .clamp(2, 8);
        let slot = || Slot {
            places: Semaphore::new(SHARERS),
            reader: Mutex::new(None),
        };
        let slots = std::iter::repeat_with(slot).take(connections).collect();
        Self {
            connector,
            slots,
            waits: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        }
    }

    /// Runs `work` on a connection. If that turns out to be broken, as after a
    /// restart of the server, `work` runs again on a new one.
    pub(super) async fn read<T, F, R>(&self, work: F) -> Result<T, StoreError>
    where
        F: Fn(Arc<Reader>) -> R,
        R: Future<Output = Result<T, Error>>,
    {
        let Some(slot) = self
            .slots
            .iter()
            .max_by_key(|slot| slot.places.available_permits())
        else {
            return Err(error::not_applied(Fault::Closed));
        };
        let mut used = None;
        let attempt = async {
            let _place = match slot.places.try_acquire() {
                Ok(place) => place,
                Err(_) => {
                    self.waits.fetch_add(1, Ordering::Relaxed);
                    let place = slot.places.acquire().await;
                    place.map_err(|_| error::not_applied(Fault::Closed))?
                }
            };
            let first = self.reader(slot).await?;
            used = Some(Arc::clone(&first));
            match work(Arc::clone(&first)).await {
                Err(error) if is_of_the_connection(&error) => {
                    // It is seen a moment before the connection counts as closed.
                    first.session.cut();
                    let second = self.reader(slot).await?;
                    used = Some(Arc::clone(&second));
                    work(second).await.map_err(error::read_failed)
                }
                result => result.map_err(error::read_failed),
            }
        };
        let result = timeout(DEADLINE, attempt).await;
        result.unwrap_or_else(|_| {
            if let Some(reader) = used {
                reader.session.cut();
            }
            Err(error::not_applied(Fault::Deadline(DEADLINE)))
        })
    }

    /// The connection of a slot, made anew if there is none that works.
    async fn reader(&self, slot: &Slot) -> Result<Arc<Reader>, StoreError> {
        let mut held = slot.reader.lock().await;
        if self.closed.load(Ordering::Acquire) {
            return Err(error::not_applied(Fault::Closed));
        }
        if let Some(reader) = held.as_ref().filter(|reader| !reader.session.is_closed()) {
            return Ok(Arc::clone(reader));
        }
        *held = None;
        let session = self
            .connector
            .connect(Use::Read(STATEMENT_TIMEOUT))
            .await
            .map_err(error::not_applied)?;
        let db = session.client();
        let (pets, keys, orders) = tokio::try_join!(
            Reads::prepare::<Pet, _>(db),
            KeyReads::prepare(db),
            Reads::prepare::<Order, _>(db)
        )
        .map_err(error::read_failed)?;
        Ok(Arc::clone(held.insert(Arc::new(Reader {
            session,
            pets,
            keys,
            orders,
        }))))
    }

    /// A connection that is just being made is none yet.
    pub(super) fn stats(&self) -> PoolStats {
        let mut stats = PoolStats {
            limit: self.slots.len(),
            waits: self.waits.load(Ordering::Relaxed),
            ..PoolStats::default()
        };
        for slot in &self.slots {
            let held = slot.reader.try_lock();
            let reader = held.as_ref().ok().and_then(|held| held.as_ref());
            if reader.is_none_or(|reader| reader.session.is_closed()) {
                continue;
            }
            if slot.places.available_permits() < SHARERS {
                stats.used += 1;
            } else {
                stats.idle += 1;
            }
        }
        stats
    }

    /// Closes the connections once their users are done.
    pub(super) async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        for slot in &self.slots {
            slot.reader.lock().await.take();
            slot.places.close();
        }
    }
}

/// Whether the connection broke, or was ended by the server, so that to ask
/// again on another one can help.
fn is_of_the_connection(error: &Error) -> bool {
    match error.as_db_error() {
        Some(cause) => cause.parsed_severity() != Some(Severity::Error),
        None => error.is_closed() || error.source().is_some_and(|cause| cause.is::<io::Error>()),
    }
}
