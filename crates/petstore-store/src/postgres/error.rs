//! Maps errors of PostgreSQL and of its connections to the errors of a store.

use crate::StoreError;
use std::{error::Error as StdError, io, iter, time::Duration};
use tokio_postgres::{
    Error,
    error::{DbError, Severity, SqlState},
};

/// A statement that only reads failed.
pub(super) fn read_failed(error: Error) -> StoreError {
    match error.as_db_error() {
        Some(cause) => rejected(cause.code().clone(), error),
        None => StoreError::not_applied(error),
    }
}

/// A statement that writes, and is a transaction of its own, failed. If the
/// server rejected it, it was rolled back. But a session that was ended while
/// its commit waited for a replica has committed nevertheless; and if a connection broke, the
/// outcome is unknown.
pub(super) fn write_failed(error: Error) -> StoreError {
    match error.as_db_error() {
        Some(cause) if cause.parsed_severity() == Some(Severity::Error) => {
            rejected(cause.code().clone(), error)
        }
        _ => StoreError::unknown(error),
    }
}

/// The same call may succeed later, according to the class of its SQLSTATE: connection
/// (08), read-only after a failover (25006), conflict with another transaction
/// (40), resources (53), locks (55), operator (57), input and output (58).
fn rejected(code: SqlState, error: Error) -> StoreError {
    match code {
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => StoreError::corrupt(error),
        _ if is_passing(&code) => StoreError::not_applied(error),
        // No id is left, as on SQLite, which calls the disk full then.
        SqlState::SEQUENCE_GENERATOR_LIMIT_EXCEEDED => StoreError::not_applied(error),
        _ => StoreError::internal(error),
    }
}

fn is_passing(code: &SqlState) -> bool {
    let classes = ["08", "40", "53", "55", "57", "58"];
    *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || classes.iter().any(|class| code.code().starts_with(class))
}

/// Whether the same may succeed later: the server says so, or the connection broke.
pub(super) fn is_temporary(error: &Error) -> bool {
    match error.code() {
        Some(code) => is_passing(code),
        None => error.is_closed() || is_of_the_network(error),
    }
}

fn is_missing_password(cause: &(dyn StdError + 'static)) -> bool {
    cause.to_string() == "password missing"
}

/// Whether the connection broke, other than by a certificate that was rejected.
fn is_of_the_network(error: &Error) -> bool {
    let cause = error.source();
    cause
        .and_then(|cause| cause.downcast_ref::<io::Error>())
        .is_some_and(|cause| cause.kind() != io::ErrorKind::InvalidData)
}

/// Whether the server ended a statement because it waited or ran for too long. The connection
/// is as good as before.
pub(super) fn is_timeout(error: &StoreError) -> bool {
    let code = cause_of(error).and_then(Error::code);
    code.is_some_and(|code| [SqlState::LOCK_NOT_AVAILABLE, SqlState::QUERY_CANCELED].contains(code))
}

/// Whether a write changed nothing because another transaction keeps a row locked.
pub(super) fn is_locked(error: &StoreError) -> bool {
    matches!(cause_of(error), Some(Fault::Locked))
}

/// The cause of an error, if it has this type. `source()` would return the `Arc` around it.
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

/// Reads the severity that is not translated. An unknown one counts as a warning.
pub(super) fn is_warning(notice: &DbError) -> bool {
    !matches!(
        notice.parsed_severity(),
        Some(Severity::Notice | Severity::Info | Severity::Log | Severity::Debug)
    )
}

/// The reason why a database is not used, or why a call was aborted.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the database did not respond within {} ms, and the connection was abandoned", .0.as_millis())]
    Deadline(Duration),
    #[error("the database did not complete a write within {} ms; its connection takes no further write until the database has", .0.as_millis())]
    Late(Duration),
    #[error("another transaction of the database keeps the pet or the order locked")]
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
        "the sequence `{0}` has reached its end, so that no id is left; let it continue from the largest id of its table that you want to keep"
    )]
    NoIds(&'static str),
    #[error("the database did not tell the ids of all rows that it stored")]
    Ids,
}

/// How far connecting to a host succeeded; the furthest state of all hosts counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Furthest {
    Unreachable,
    Tls,
    Refused,
}

impl Furthest {
    pub(super) fn of(error: &Error) -> Self {
        match error.code() {
            // 28: login; 3D000: the database does not exist; 42501: no right to connect.
            Some(code) if code.code().starts_with("28") => Self::Refused,
            Some(&(SqlState::INVALID_CATALOG_NAME | SqlState::INSUFFICIENT_PRIVILEGE)) => {
                Self::Refused
            }
            Some(_) => Self::Unreachable,
            None if is_of_the_network(error) => Self::Unreachable,
            // Only the text of these errors tells their kind.
            None if error.to_string().contains("TLS") => Self::Tls,
            None if error.to_string().contains("authentication") => Self::Refused,
            // The server wants a password, and the URL has none.
            None if error.source().is_some_and(is_missing_password) => Self::Refused,
            None => Self::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_of_an_error_is_found() {
        assert!(is_locked(&StoreError::not_applied(Fault::Locked)));
        assert!(!is_locked(&StoreError::not_applied(Fault::Blocked)));
        assert!(!is_timeout(&StoreError::not_applied(Fault::Locked)));
    }
}
