//! A connection that several owners share until the store is closed.

use crate::{StoreError, write_queue::Stopped};
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use std::sync::Arc;

/// A shared connection. It is empty after the store was closed.
#[derive(Clone)]
pub(super) struct Slot(Arc<Mutex<Option<Connection>>>);

impl Slot {
    pub(super) fn new(connection: Connection) -> Self {
        Self(Arc::new(Mutex::new(Some(connection))))
    }

    /// Waits for the connection.
    pub(super) fn hold(&self) -> MutexGuard<'_, Option<Connection>> {
        // After a panic, the connection can still be used: statements are
        // reset and transactions are rolled back when they are dropped.
        self.0.lock()
    }

    /// Returns the connection, unless it is in use.
    pub(super) fn try_hold(&self) -> Option<MutexGuard<'_, Option<Connection>>> {
        self.0.try_lock()
    }
}

/// Returns the connection, or an error if the store was closed.
pub(super) fn open(held: &mut Option<Connection>) -> Result<&mut Connection, StoreError> {
    held.as_mut()
        .ok_or_else(|| StoreError::not_applied(Stopped::Closed))
}
