//! Maps errors of PostgreSQL and of its connections to the errors of a store.

use crate::StoreError;
use std::{error::Error as StdError, io, iter, time::Duration};
use tokio_postgres::{
    Error,
    error::{DbError, Severity, SqlState},
};

/// Maps the error of a statement that only reads.
pub(super) fn read_failed(error: Error) -> StoreError {
    match error.as_db_error() {
        Some(cause) => rejected(cause.code().clone(), error),
        None => StoreError::not_applied(error),
    }
}

/// Maps the error of a statement that writes in its own transaction. If the
/// server rejected it, it was rolled back. But if the server ended the session while
/// its commit waited for a replica, the transaction is committed. If the connection broke, the
/// outcome is unknown.
pub(super) fn write_failed(error: Error) -> StoreError {
    match error.as_db_error() {
        Some(cause) if cause.parsed_severity() == Some(Severity::Error) => {
            rejected(cause.code().clone(), error)
        }
        _ => StoreError::unknown(error),
    }
}

/// Maps an error by its SQLSTATE. For these classes, the same call may succeed later: connection
/// (08), read-only after a failover (25006), conflict with another transaction
/// (40), resources (53), locks (55), operator (57), input and output (58).
fn rejected(code: SqlState, error: Error) -> StoreError {
    match code {
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => StoreError::corrupt(error),
        _ if is_passing(&code) => StoreError::not_applied(error),
        // No id is left. SQLite reports a full disk in this case, which has the same outcome.
        SqlState::SEQUENCE_GENERATOR_LIMIT_EXCEEDED => StoreError::not_applied(error),
        _ => StoreError::internal(error),
    }
}

fn is_passing(code: &SqlState) -> bool {
    let classes = ["08", "40", "53", "55", "57", "58"];
    *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || classes.iter().any(|class| code.code().starts_with(class))
}

/// Whether the same call may succeed later, according to the server or because the connection broke.
pub(super) fn is_temporary(error: &Error) -> bool {
    match error.code() {
        Some(code) => is_passing(code),
        None => error.is_closed() || is_of_the_network(error),
    }
}

fn is_missing_password(cause: &(dyn StdError + 'static)) -> bool {
    cause.to_string() == "password missing"
}

/// Whether the connection broke for a reason other than a rejected certificate.
fn is_of_the_network(error: &Error) -> bool {
    let cause = error.source();
    cause
        .and_then(|cause| cause.downcast_ref::<io::Error>())
        .is_some_and(|cause| cause.kind() != io::ErrorKind::InvalidData)
}

/// Whether the server cancelled a statement because it waited or ran for too long. The connection
/// can still be used.
pub(super) fn is_timeout(error: &StoreError) -> bool {
    let code = cause_of(error).and_then(Error::code);
    code.is_some_and(|code| [SqlState::LOCK_NOT_AVAILABLE, SqlState::QUERY_CANCELED].contains(code))
}

/// Whether a write changed nothing because another transaction has locked a row.
pub(super) fn is_locked(error: &StoreError) -> bool {
    matches!(cause_of(error), Some(Fault::Locked))
}

/// The cause of an error, if it has this type. `source()` would return the `Arc` that contains the cause.
fn cause_of<T: StdError + 'static>(error: &StoreError) -> Option<&T> {
    match error {
        StoreError::Unavailable { source, .. } => source.downcast_ref(),
        _ => None,
    }
}

/// All details of an error, in one line for the log. `Error` itself prints only its kind.
pub(super) fn chain(error: &(dyn StdError + 'static)) -> String {
    let causes = iter::successors(Some(error), |&error| error.source());
    let causes: Vec<_> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}

/// The cause of a store's error, for the log.
pub(super) fn cause(error: &StoreError) -> Option<String> {
    error.source().map(chain)
}

/// Reads the severity that PostgreSQL does not translate. An unknown severity counts as a warning.
pub(super) fn is_warning(notice: &DbError) -> bool {
    !matches!(
        notice.parsed_severity(),
        Some(Severity::Notice | Severity::Info | Severity::Log | Severity::Debug)
    )
}

/// The reason why a database cannot be used, or why a call was aborted.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the database did not respond within {} ms, and the connection was abandoned", .0.as_millis())]
    Deadline(Duration),
    #[error("the database did not complete a write within {} ms; its connection takes no further write until the database has", .0.as_millis())]
    Late(Duration),
    #[error("another transaction of the database has locked the pet or the order")]
    Locked,
    #[error("earlier writes still wait in the database, for its disk or a replica")]
    Blocked,
    #[error(
        "the database sent a warning with the commit, so the write may be missing on its replicas"
    )]
    Warned,
    #[error("the database has `{setting}` = `{value}`, with which completed writes can be lost")]
    NotDurable {
        setting: &'static str,
        value: String,
    },
    #[error("no host can be used as the database: {reasons}")]
    NoHost {
        reasons: String,
        /// How far connecting succeeded.
        furthest: Furthest,
    },
    #[error("the database is a replica, which accepts no writes")]
    Replica,
    #[error(
        "the sequence `{0}` has reached its end, so no id is left; set it to the largest id of its table that you want to keep"
    )]
    NoIds(&'static str),
    #[error("the database did not return the ids of all rows that it stored")]
    Ids,
}

/// How far connecting to a host succeeded. The furthest state of all hosts is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Furthest {
    Unreachable,
    Tls,
    Refused,
}

impl Furthest {
    pub(super) fn of(error: &Error) -> Self {
        match error.code() {
            // 28: login; 3D000: the database does not exist; 42501: no permission to connect.
            Some(code) if code.code().starts_with("28") => Self::Refused,
            Some(&(SqlState::INVALID_CATALOG_NAME | SqlState::INSUFFICIENT_PRIVILEGE)) => {
                Self::Refused
            }
            Some(_) => Self::Unreachable,
            None if is_of_the_network(error) => Self::Unreachable,
            // The kind of these errors is visible only in their text.
            None if error.to_string().contains("TLS") => Self::Tls,
            None if error.to_string().contains("authentication") => Self::Refused,
            // The server requires a password, and the URL has none.
            None if error.source().is_some_and(is_missing_password) => Self::Refused,
            None => Self::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_fault_is_recognized_and_distinguished_from_other_faults() {
        assert!(is_locked(&StoreError::not_applied(Fault::Locked)));
        assert!(!is_locked(&StoreError::not_applied(Fault::Blocked)));
        assert!(!is_timeout(&StoreError::not_applied(Fault::Locked)));
    }
}
