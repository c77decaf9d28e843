//! Maps errors of SQLite to the errors of a store.

use super::files::Moved;
use crate::{Cause, Outcome, StoreError};
use rusqlite::{Error, ErrorCode};
use std::sync::Arc;

/// A statement failed: nothing of it was applied, and the transaction it was
/// in is rolled back.
pub(super) fn failed(error: Error) -> StoreError {
    use ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull,
        FileLockingProtocolFailed, NotADatabase, OperationInterrupted, OutOfMemory,
        PermissionDenied, ReadOnly, SystemIoFailure,
    };
    let unreadable = matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
    );
    let code = error.sqlite_error_code();
    let source: Cause = Arc::new(error);
    match code {
        _ if unreadable => StoreError::Corrupt { source },
        Some(DatabaseCorrupt | NotADatabase) => StoreError::Corrupt { source },
        Some(
            CannotOpen
            | DatabaseBusy
            | DatabaseLocked
            | DiskFull
            | FileLockingProtocolFailed
            | OperationInterrupted
            | OutOfMemory
            | PermissionDenied
            | ReadOnly
            | SystemIoFailure,
        ) => StoreError::Unavailable {
            outcome: Outcome::NotApplied,
            source,
        },
        _ => StoreError::Internal { source },
    }
}

/// A `COMMIT` failed. SQLite undoes it, but its log records may be on the disk
/// already: should the power fail before they are written over, recovery
/// brings them back.
pub(super) fn commit_failed(error: Error) -> StoreError {
    StoreError::Unavailable {
        outcome: Outcome::Unknown,
        source: Arc::new(error),
    }
}

/// The file was found missing before anything was written to it.
pub(super) fn moved_before(moved: Moved) -> StoreError {
    StoreError::Unavailable {
        outcome: Outcome::NotApplied,
        source: Arc::new(moved),
    }
}

/// The file was found missing after the commit: the write is in a file that
/// may be on its way to another place, or be gone with this process.
pub(super) fn moved_meanwhile(moved: Moved) -> StoreError {
    StoreError::Unavailable {
        outcome: Outcome::Unknown,
        source: Arc::new(moved),
    }
}

/// The store was closed before the call was taken up.
pub(super) fn closed() -> StoreError {
    StoreError::Unavailable {
        outcome: Outcome::NotApplied,
        source: Arc::new(Closed),
    }
}

/// The thread that writes ended with the call in its hands.
pub(super) fn writer_gone() -> StoreError {
    StoreError::Unavailable {
        outcome: Outcome::Unknown,
        source: Arc::new(WriterGone),
    }
}

/// The code of a write panicked; what it had done was rolled back.
pub(super) fn panicked(payload: &(dyn std::any::Any + Send)) -> StoreError {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    StoreError::Internal {
        source: Arc::new(Panicked(text.unwrap_or_else(|| "(no message)".to_owned()))),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the store was closed")]
struct Closed;

#[derive(Debug, thiserror::Error)]
#[error("the thread that writes to the database ended early")]
struct WriterGone;

#[derive(Debug, thiserror::Error)]
#[error("a write panicked: {0}")]
struct Panicked(String);
