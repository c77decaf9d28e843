//! A connection that several owners share until the store is closed.

use crate::{StoreError, write_queue::Stopped};
use rusqlite::Connection;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// A place for a connection; empty once the store was closed.
#[derive(Clone)]
pub(super) struct Slot(Arc<Mutex<Option<Connection>>>);

/// The connection, for one at a time.
pub(super) struct Held<'slot>(MutexGuard<'slot, Option<Connection>>);

impl Slot {
    pub(super) fn new(connection: Connection) -> Self {
        Self(Arc::new(Mutex::new(Some(connection))))
    }

    /// Waits for the connection.
    pub(super) fn hold(&self) -> Held<'_> {
        // A panic under the lock leaves nothing half done: statements are
        // reset and transactions rolled back as they are dropped.
        Held(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The connection, unless it is in use.
    pub(super) fn try_hold(&self) -> Option<Held<'_>> {
        match self.0.try_lock() {
            Ok(guard) => Some(Held(guard)),
            Err(TryLockError::Poisoned(poisoned)) => Some(Held(poisoned.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Closes the connection for all owners.
    pub(super) fn empty(&self) -> Option<Connection> {
        self.hold().0.take()
    }
}

impl Held<'_> {
    /// The connection, or the error that says that the store was closed.
    pub(super) fn open(&mut self) -> Result<&mut Connection, StoreError> {
        let closed = || StoreError::not_applied(Stopped::Closed);
        self.0.as_mut().ok_or_else(closed)
    }
}
