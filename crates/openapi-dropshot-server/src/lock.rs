//! Locks mutexes, also those whose holder has panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex. What the mutexes of this crate guard is complete after each statement, so a
/// panic of a holder leaves nothing wrong behind.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
