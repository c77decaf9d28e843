//! Maps errors of SQLite to the errors of a store.

use crate::StoreError;
use rusqlite::{Error, ErrorCode};

/// Maps the error of a statement: none of its changes were applied, and its transaction
/// is rolled back.
pub(super) fn failed(error: Error) -> StoreError {
    use ErrorCode::{
        CannotOpen, DatabaseBusy, DatabaseCorrupt, DatabaseLocked, DiskFull,
        FileLockingProtocolFailed, NotADatabase, OperationInterrupted, OutOfMemory,
        PermissionDenied, ReadOnly, SystemIoFailure,
    };
    match error.sqlite_error_code() {
        Some(DatabaseCorrupt | NotADatabase) => StoreError::corrupt(error),
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
        ) => StoreError::not_applied(error),
        None if is_unreadable(&error) => StoreError::corrupt(error),
        _ => StoreError::internal(error),
    }
}

/// Returns whether a row contains a value that this version cannot read.
fn is_unreadable(error: &Error) -> bool {
    matches!(
        error,
        Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
    )
}

/// The ids of a table are used up. A write that needs an id then fails like on a full disk.
#[derive(Debug, thiserror::Error)]
#[error(
    "the ids of the table `{0}` are used up; set its `seq` in `sqlite_sequence` to the largest id that you want to keep"
)]
pub(super) struct NoIds(pub(super) String);

/// Converts the panic of a write into an error. The changes of the write were rolled back.
pub(super) fn panicked(payload: &(dyn std::any::Any + Send)) -> StoreError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    StoreError::internal(Panicked(text.unwrap_or("(no message)").to_owned()))
}

#[derive(Debug, thiserror::Error)]
#[error("a write panicked: {0}")]
struct Panicked(String);
