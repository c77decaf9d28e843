//! What an error of PostgreSQL, or of the way to it, means to the callers of a
//! store.

use crate::{Cause, Outcome, StoreError};
use std::{error::Error as StdError, fmt::Write as _, sync::Arc, time::Duration};
use tokio_postgres::{
    Error,
    error::{Severity, SqlState},
};

/// A statement that only reads failed.
pub(super) fn read_failed(error: Error) -> StoreError {
    match error.as_db_error() {
        Some(cause) if is_damage(cause.code()) => StoreError::Corrupt {
            source: Arc::new(error),
        },
        Some(cause) if !is_passing(cause.code()) => StoreError::Internal {
            source: Arc::new(error),
        },
        _ => not_applied(error),
    }
}

/// A statement that writes, and is a transaction of its own, failed. If the
/// server rejected it, it was rolled back. But a session that was ended while
/// its commit waited for a replica has committed all the same; and of a
/// connection that broke nothing is known.
pub(super) fn write_failed(error: Error) -> StoreError {
    let Some(cause) = error.as_db_error() else {
        return unknown(error);
    };
    match cause.parsed_severity() {
        Some(Severity::Error) if is_damage(cause.code()) => StoreError::Corrupt {
            source: Arc::new(error),
        },
        Some(Severity::Error) if is_passing(cause.code()) => not_applied(error),
        Some(Severity::Error) => StoreError::Internal {
            source: Arc::new(error),
        },
        _ => unknown(error),
    }
}

/// Nothing was sent, or what was sent changes nothing.
pub(super) fn not_applied(source: impl StdError + Send + Sync + 'static) -> StoreError {
    StoreError::Unavailable {
        outcome: Outcome::NotApplied,
        source: Arc::new(source),
    }
}

/// It may have happened.
pub(super) fn unknown(source: impl StdError + Send + Sync + 'static) -> StoreError {
    StoreError::Unavailable {
        outcome: Outcome::Unknown,
        source: Arc::new(source),
    }
}

/// A row holds what this version cannot read.
pub(super) fn unreadable(source: impl StdError + Send + Sync + 'static) -> StoreError {
    StoreError::Corrupt {
        source: Arc::new(source),
    }
}

/// The same call may succeed later, as by the classes of SQLSTATE: connection
/// (08), read-only after a failover (25006), conflict with another transaction
/// (40), resources (53), locks (55), operator (57), input and output (58).
pub(super) fn is_passing(code: &SqlState) -> bool {
    *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || ["08", "40", "53", "55", "57", "58"]
            .iter()
            .any(|class| code.code().starts_with(class))
}

fn is_damage(code: &SqlState) -> bool {
    [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code)
}

/// All that is known of an error, in one line for the log. `Error` itself
/// prints only what kind it is.
pub(super) fn chain(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let written = write!(text, ": {cause}");
        debug_assert!(written.is_ok(), "a String takes any text");
        next = cause.source();
    }
    text
}

/// What stands behind the text of a store's error, for the log.
pub(super) fn cause(error: &StoreError) -> Option<String> {
    error.source().map(chain)
}

/// Why a database is not used, or what cut a call off.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the store was closed")]
    Closed,
    #[error("the task that writes to the database ended early")]
    WriterGone,
    #[error("the database did not answer within {} ms, and the connection was given up", .0.as_millis())]
    Deadline(Duration),
    #[error("the database warned while it committed, so the write may be missing on its replicas")]
    Warned,
    #[error("the database has `{setting}` = `{value}`, with which completed writes can be lost")]
    NotDurable {
        setting: &'static str,
        value: String,
    },
    #[error("no host can be used as the database: {0}")]
    NoHost(String),
    #[error("the database is a replica, which takes no writes")]
    Replica,
}

/// A value in a row that this version does not understand.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unreadable {
    #[error("a key has a hash that is not 32 bytes long")]
    Hash,
    #[error("a key has the time {0} µs, which is out of range")]
    Time(i64),
    #[error("a usage counter has {0} calls, which is out of range")]
    Count(i64),
    #[error("the database did not tell the ids of all pets that it stored")]
    Ids,
}

/// Why a PostgreSQL database could not be opened. The texts are for the owner
/// of the service; they name the database without its password.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// No host is a database that takes writes.
    #[error(
        "cannot reach the database `{database}`; check that it runs and that one of its hosts is not a replica ({reason})"
    )]
    Unreachable {
        /// The database, without its password.
        database: String,
        /// What each host said.
        reason: String,
    },

    /// The server rejected the login.
    #[error(
        "the database `{database}` does not let the service in; check user, password and database name ({reason})"
    )]
    Refused {
        /// The database, without its password.
        database: String,
        /// What each host said.
        reason: String,
    },

    /// The encrypted connection could not be made.
    #[error(
        "cannot make an encrypted connection to the database `{database}`; name the authority of its certificate with `sslrootcert=FILE`, or, on a network that you trust, set `sslmode=disable` ({reason})"
    )]
    Tls {
        /// The database, without its password.
        database: String,
        /// What each host said.
        reason: String,
    },

    /// The certificates to trust could not be read.
    #[error(
        "cannot read the certificates to trust from {place}; name a PEM file with `sslrootcert=FILE`"
    )]
    NoCertificates {
        /// The file, or the store of the system.
        place: String,
        /// What went wrong.
        source: Cause,
    },

    /// A setting of the server makes commits that do not survive a crash.
    #[error(
        "the database `{database}` can lose completed writes: its `{setting}` is `{value}`; set it to `on` and start again"
    )]
    NotDurable {
        /// The database, without its password.
        database: String,
        /// The setting of the server.
        setting: &'static str,
        /// What it is.
        value: String,
    },

    /// There are tables of the same names that the pet store did not make.
    #[error(
        "the database `{database}` has tables of something else and was left as it is; name an empty database"
    )]
    NotAStore {
        /// The database, without its password.
        database: String,
        /// What PostgreSQL said.
        source: Cause,
    },

    /// The database was made, or migrated, by a newer version.
    #[error(
        "the database `{database}` was written by a newer version: its schema is {found}, this version knows schemas up to {supported}; use the newer version or a backup from before (the database was left as it is)"
    )]
    TooNew {
        /// The database, without its password.
        database: String,
        /// Its schema version.
        found: i64,
        /// The newest schema version that is understood here.
        supported: i64,
    },

    /// Anything else.
    #[error("cannot open the database `{database}` ({reason})")]
    Failed {
        /// The database, without its password.
        database: String,
        /// What PostgreSQL said.
        reason: String,
    },
}
