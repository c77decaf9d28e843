//! Pools the connections that read: a few connections, each of which many
//! callers share. The statements on a connection are pipelined: they are sent
//! without waiting for earlier results.
//!
//! Most pools give a connection to one caller at a time. Here, every read is one short statement,
//! so callers can share connections. The same number of connections then serves two to three times as
//! many reads.

use super::{
    error::{self, Fault},
    records::parameter,
    session::{Connector, Session, Use},
};
use crate::{
    PoolStats, StoreError, key,
    record::Record as _,
    row::{FromRow, Value},
    write_queue::Stopped,
};
use petstore_models::{Order, Pet};
use std::{
    error::Error as _,
    future::Future,
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::{
    sync::{Mutex, OwnedMutexGuard, Semaphore, SemaphorePermit, TryAcquireError, watch},
    time::timeout,
};
use tokio_postgres::{Error, Row, error::Severity};

/// The greatest number of callers that share a connection; further callers wait for a permit.
const SHARERS: usize = 32;
/// How long a read may take, including all waiting.
const DEADLINE: Duration = Duration::from_secs(5);
/// How long the server may work on a read. It is less than [`DEADLINE`], so that only dead connections
/// are abandoned.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(3);

pub(super) struct Readers {
    connector: Arc<Connector>,
    slots: Vec<Slot>,
    waits: AtomicU64,
    closed: watch::Sender<bool>,
}

struct Slot {
    places: Semaphore,
    /// Locked while a connection is opened.
    session: Arc<Mutex<Option<Arc<Session>>>>,
}

/// When a read may begin.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    /// When a connection has a free permit.
    Waits,
    /// At once, even if the connection has no free permit.
    AtOnce,
}

/// The statements that every connection prepares before it is used.
fn statements() -> impl Iterator<Item = &'static str> {
    let tables = [Pet::statements(), Order::statements()].into_iter();
    let of_tables = tables.flat_map(|table| table.pages_on_postgres.iter().chain([&table.get]));
    let of_keys = [key::sql::ALL, key::sql::ANY, key::sql::FIND];
    of_tables.map(String::as_str).chain(of_keys)
}

impl Readers {
    pub(super) fn new(connector: Arc<Connector>) -> Self {
        // PostgreSQL has a process for each connection. More processes than
        // processors do not make it faster.
        let connections = thread::available_parallelism()
            .map_or(4, usize::from)
            .clamp(2, 8);
        let slot = || Slot {
            places: Semaphore::new(SHARERS),
            session: Arc::default(),
        };
        let slots = std::iter::repeat_with(slot).take(connections).collect();
        Self {
            connector,
            slots,
            waits: AtomicU64::new(0),
            closed: watch::Sender::new(false),
        }
    }

    /// Returns all rows of a statement.
    pub(super) async fn query<T: FromRow>(
        &self,
        sql: &'static str,
        parameters: &[Value<'_>],
    ) -> Result<Vec<T>, StoreError> {
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        let parameters = parameters.as_slice();
        let query = move |db: Arc<Session>| async move { db.query(sql, parameters).await };
        records_of(&self.read(Turn::Waits, query).await?)
    }

    /// Runs `work` on a connection. If the connection turns out to be broken, for example after a
    /// restart of the server, `work` runs again on a new connection.
    pub(super) async fn read<T, F, R>(&self, turn: Turn, work: F) -> Result<T, StoreError>
    where
        F: Fn(Arc<Session>) -> R,
        R: Future<Output = Result<T, Error>>,
    {
        let Some(slot) = self
            .slots
            .iter()
            .max_by_key(|slot| slot.places.available_permits())
        else {
            return Err(StoreError::not_applied(Stopped::Closed));
        };
        let mut used = None;
        let attempt = async {
            let mut slot = slot;
            let mut place = self.place(slot, turn).await?;
            let mut opened = self.session(slot).await;
            if opened.is_err() {
                // The database may have reached its limit of connections, so other slots are tried.
                for other in self.others(slot) {
                    // Release the permit first: waiting for a second permit could deadlock.
                    drop(place);
                    place = self.place(other, turn).await?;
                    if let Ok(session) = self.session(other).await {
                        (slot, opened) = (other, Ok(session));
                        break;
                    }
                }
            }
            let first = opened?;
            used = Some(Arc::clone(&first));
            let mut result = work(Arc::clone(&first)).await;
            if result.as_ref().is_err_and(is_of_the_connection) {
                // The error arrives a moment before the connection counts as closed.
                first.cut();
                let second = self.session(slot).await?;
                used = Some(Arc::clone(&second));
                result = work(second).await;
            }
            drop(place);
            result.map_err(error::read_failed)
        };
        let result = timeout(DEADLINE, attempt).await;
        result.unwrap_or_else(|_| {
            if let Some(session) = used {
                session.cut();
            }
            Err(StoreError::not_applied(Fault::Deadline(DEADLINE)))
        })
    }

    /// Waits for a permit for the connection of a slot, if the read needs one.
    async fn place<'slot>(
        &self,
        slot: &'slot Slot,
        turn: Turn,
    ) -> Result<Option<SemaphorePermit<'slot>>, StoreError> {
        match (slot.places.try_acquire(), turn) {
            (Ok(place), _) => return Ok(Some(place)),
            (Err(TryAcquireError::NoPermits), Turn::AtOnce) => return Ok(None),
            (Err(_), _) => {}
        }
        self.waits.fetch_add(1, Ordering::Relaxed);
        let place = slot.places.acquire().await;
        place
            .map(Some)
            .map_err(|_| StoreError::not_applied(Stopped::Closed))
    }

    /// Returns the other slots; those that have a connection come first.
    fn others(&self, slot: &Slot) -> Vec<&Slot> {
        let others = self
            .slots
            .iter()
            .filter(|other| !std::ptr::eq(*other, slot));
        let mut others: Vec<_> = others.collect();
        others.sort_by_key(|other| {
            // A locked slot is being used or opened now.
            let held = other.session.try_lock();
            let is_lost =
                held.is_ok_and(|held| held.as_ref().is_none_or(|session| session.is_closed()));
            (
                is_lost,
                SHARERS - other.places.available_permits().min(SHARERS),
            )
        });
        others
    }

    /// Returns the connection of a slot. Opens it again if it is closed.
    async fn session(&self, slot: &Slot) -> Result<Arc<Session>, StoreError> {
        // The usual case.
        let found = slot.session.lock().await.as_ref().and_then(usable);
        if let Some(session) = found {
            return Ok(session);
        }
        let held = Arc::clone(&slot.session).lock_owned().await;
        if *self.closed.borrow() {
            return Err(StoreError::not_applied(Stopped::Closed));
        }
        // Another caller may have opened it meanwhile.
        if let Some(session) = held.as_ref().and_then(usable) {
            return Ok(session);
        }
        // A separate task opens the connection, so that it continues when a caller stops
        // waiting. Otherwise a host that does not respond would stop each caller in turn.
        let connector = Arc::clone(&self.connector);
        let mut closed = self.closed.subscribe();
        let opening = tokio::spawn(async move {
            tokio::select! {
                opened = connect(&connector, held) => opened,
                // An error means that the pool was dropped.
                _closed = closed.wait_for(|closed| *closed) => {
                    Err(StoreError::not_applied(Stopped::Closed))
                }
            }
        });
        let opened = opening.await;
        opened.unwrap_or_else(|_| Err(StoreError::not_applied(Stopped::Closed)))
    }

    /// Returns the statistics. A connection that is still being opened does not count.
    pub(super) fn stats(&self) -> PoolStats {
        let mut stats = PoolStats {
            limit: self.slots.len(),
            waits: self.waits.load(Ordering::Relaxed),
            ..PoolStats::default()
        };
        for slot in &self.slots {
            let held = slot.session.try_lock();
            let session = held.as_ref().ok().and_then(|held| held.as_ref());
            if session.is_none_or(|session| session.is_closed()) {
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

    /// Closes the pool. Each connection is closed when its last caller has finished.
    pub(super) async fn close(&self) {
        self.closed.send_replace(true);
        for slot in &self.slots {
            slot.session.lock().await.take();
            slot.places.close();
        }
    }
}

/// Returns the connection, unless it is closed.
fn usable(session: &Arc<Session>) -> Option<Arc<Session>> {
    (!session.is_closed()).then(|| Arc::clone(session))
}

/// Opens the connection of a slot, and holds the lock of the slot meanwhile.
async fn connect(
    connector: &Connector,
    mut slot: OwnedMutexGuard<Option<Arc<Session>>>,
) -> Result<Arc<Session>, StoreError> {
    *slot = None;
    let session = connector.connect(Use::Read(STATEMENT_TIMEOUT)).await;
    let session = session.map_err(StoreError::not_applied)?;
    let prepared = timeout(DEADLINE, session.prepare(statements())).await;
    prepared
        .map_err(|_| StoreError::not_applied(Fault::Deadline(DEADLINE)))?
        .map_err(error::read_failed)?;
    Ok(Arc::clone(slot.insert(Arc::new(session))))
}

fn records_of<T: FromRow>(rows: &[Row]) -> Result<Vec<T>, StoreError> {
    let records = rows.iter().map(T::from_row);
    records
        .collect::<Result<_, _>>()
        .map_err(StoreError::corrupt)
}

/// Whether the connection broke or the server closed it, so that a retry on another connection can
/// succeed.
fn is_of_the_connection(error: &Error) -> bool {
    match error.as_db_error() {
        Some(cause) => cause.parsed_severity() != Some(Severity::Error),
        None => error.is_closed() || error.source().is_some_and(|cause| cause.is::<io::Error>()),
    }
}
