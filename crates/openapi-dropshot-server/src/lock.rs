//! Locks mutexes, even those whose holder has panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex. The data in the mutexes of this crate is consistent after each statement, so it
/// is still correct if a holder has panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
