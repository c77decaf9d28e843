//! Pools the connections that read: a few connections, each shared by many
//! callers at once. The statements on a connection are pipelined: they follow
//! each other without waiting for results.
//!
//! A usual pool lends a connection to one caller at a time. Here every read is one short statement,
//! so callers can share connections, which serves two to three times as many reads over the same
//! number of connections.

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

/// Callers that share a connection; beyond it they wait for a place.
const SHARERS: usize = 32;
/// How long a read may take, all waiting included.
const DEADLINE: Duration = Duration::from_secs(5);
/// How long the server works on one of them; less than [`DEADLINE`], so that only dead connections
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

/// When some work may begin.
#[derive(Clone, Copy)]
pub(super) enum Turn {
    /// When a connection has a place for it.
    Waits,
    /// Now, beside the others that the connection works on.
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
        // A backend of the server is a process: more of them than the machine
        // has processors only pass the work around.
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

    /// All rows that a statement returns.
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

    /// Runs `work` on a connection. If that turns out to be broken, as after a
    /// restart of the server, `work` runs again on a new one.
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
                // The database may have no further connection for the service.
                for other in self.others(slot) {
                    // A caller that waits for a place while it holds one could wait for others that wait
                    // for this one.
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
                // It is seen a moment before the connection counts as closed.
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

    /// Waits for a place on the connection of a slot, if the work needs one.
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

    /// The other slots: first those that have a connection.
    fn others(&self, slot: &Slot) -> Vec<&Slot> {
        let others = self
            .slots
            .iter()
            .filter(|other| !std::ptr::eq(*other, slot));
        let mut others: Vec<_> = others.collect();
        others.sort_by_key(|other| {
            // One that is locked is used or opened at this moment.
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

    /// The connection of a slot, opened again if it does not work.
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
        // A task of its own: where a host is silent, connecting takes longer than some callers
        // wait, and each of them would begin anew with that host.
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

    /// A connection that is still being opened does not count.
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

    /// Closes the connections once their users are done.
    pub(super) async fn close(&self) {
        self.closed.send_replace(true);
        for slot in &self.slots {
            slot.session.lock().await.take();
            slot.places.close();
        }
    }
}

/// A connection, unless it is closed.
fn usable(session: &Arc<Session>) -> Option<Arc<Session>> {
    (!session.is_closed()).then(|| Arc::clone(session))
}

/// Opens the connection of a slot, whose lock is held until then.
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

/// Whether the connection broke, or was ended by the server, so that a retry on another one can
/// succeed.
fn is_of_the_connection(error: &Error) -> bool {
    match error.as_db_error() {
        Some(cause) => cause.parsed_severity() != Some(Severity::Error),
        None => error.is_closed() || error.source().is_some_and(|cause| cause.is::<io::Error>()),
    }
}
