//! The errors of a store: of its calls, of opening it, and of copying it.
//!
//! The `Display` text of a [`StoreError`] is safe to show to anybody: what the
//! database itself said is only in `source()`, for the log.

use std::{error::Error, io, path::PathBuf, sync::Arc};

/// The error of the database or the operating system; for the log, not for
/// clients. Shared, since one failed commit is the error of many callers.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// The reason why a call of the store failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The queue of writes is full. Nothing was started; the same call may
    /// succeed a moment later.
    #[error("the store has too many writes waiting; nothing was started, try again in a moment")]
    Overloaded,

    /// The store is not available now: locked, disk full, input or output failed,
    /// or closed. The same call may succeed later, but look at the outcome
    /// before a write is repeated.
    #[error("the store is not available at the moment; {outcome}")]
    Unavailable {
        /// The outcome of the call.
        outcome: Outcome,
        /// The error of the database.
        source: Cause,
    },

    /// The database is damaged, or holds a value that this version cannot
    /// read. To call again does not help; a backup, or the newer version that
    /// wrote the value, does.
    #[error("the store holds data that cannot be read")]
    Corrupt {
        /// The error of the database.
        source: Cause,
    },

    /// A key with this id or this hash is there already; make a new one.
    #[error("there is already a key with this id or this hash; make a new key")]
    KeyExists,

    /// A fault of this crate. The write was not applied.
    #[error("the store failed in a way that it should not")]
    Internal {
        /// What happened.
        source: Cause,
    },
}

/// The outcome of a write that returned [`StoreError::Unavailable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did not happen, and will not. This is also the outcome of a read.
    NotApplied,
    /// It may have happened: look before you repeat it.
    Unknown,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotApplied => "nothing was changed, try again later",
            Self::Unknown => {
                "it is unknown whether the change was made; check before you repeat it"
            }
        })
    }
}

/// The reason why a store could not be opened. The texts are for the owner of the
/// service; they name the file, and nothing in it was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The folder that should hold the file is missing.
    #[error("cannot open the database `{}`: its folder does not exist; create `{}` or name another file", path.display(), folder.display())]
    NoFolder {
        /// The file that was named.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },

    /// The path is a folder.
    #[error("cannot open the database `{}`: it is a folder; name a file, such as `{}`", path.display(), path.join("petstore.db").display())]
    IsFolder {
        /// The path that was named.
        path: PathBuf,
    },

    /// The file or its folder cannot be written.
    #[error("cannot write the database `{}`; let the user of the service write the file and its folder", path.display())]
    NotWritable {
        /// The file that was named.
        path: PathBuf,
        /// The error of SQLite.
        source: Cause,
    },

    /// The file is something else.
    #[error("`{}` is not a pet store database and was not changed; name another file", path.display())]
    NotAStore {
        /// The file that was named.
        path: PathBuf,
    },

    /// The file was made, or migrated, by a newer version.
    #[error("the database `{}` was written by a newer version: its schema is {found}, this version knows schemas up to {supported}; use the newer version or a backup from before (the file was left as it is)", path.display())]
    TooNew {
        /// The file that was named.
        path: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest schema version that is understood here.
        supported: i64,
    },

    /// The file is a pet store database, but damaged or cut short.
    #[error("the database `{}` is damaged; restore it from a backup", path.display())]
    Damaged {
        /// The file that was named.
        path: PathBuf,
        /// The error of SQLite.
        source: Cause,
    },

    /// Another program has locked the database exclusively.
    #[error("the database `{}` stays locked by another program; stop that one and start again", path.display())]
    Locked {
        /// The file that was named.
        path: PathBuf,
        /// The error of SQLite.
        source: Cause,
    },

    /// The file system cannot do what durable and concurrent writes need.
    #[error("the database `{}` cannot use a write-ahead log (the journal mode is `{mode}`); put it on a local file system", path.display())]
    NoWriteAheadLog {
        /// The file that was named.
        path: PathBuf,
        /// The journal mode that SQLite offered instead.
        mode: String,
    },

    /// Anything else.
    #[error("cannot open the database `{}`", path.display())]
    Failed {
        /// The file that was named.
        path: PathBuf,
        /// The error of SQLite.
        source: Cause,
    },

    /// A PostgreSQL database could not be opened.
    #[error(transparent)]
    Postgres(#[from] crate::PostgresError),

    /// The thread that writes could not be started.
    #[error(
        "cannot start the thread that writes to the database; raise the limit of threads or processes"
    )]
    NoThread {
        /// The error of the operating system.
        source: io::Error,
    },
}

/// The reason why a store could not be copied. The texts are for the owner of the service;
/// the store was not changed, and no file with the requested name was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// The store is not an SQLite file.
    #[error(
        "only a store in an SQLite file can be copied: one in memory is gone with its process, and PostgreSQL comes with tools of its own, `pg_dump` and `pg_basebackup`"
    )]
    NotAFile,

    /// There is nothing to copy.
    #[error("there is no store in `{}`; name the file that the service uses", path.display())]
    NoStore {
        /// The file that was named as the store.
        path: PathBuf,
    },

    /// The store to copy cannot be opened.
    #[error(transparent)]
    Source(#[from] OpenError),

    /// The name of the copy is taken.
    #[error("`{}` exists already and was not changed; name a new file", path.display())]
    Exists {
        /// The file that was named for the copy.
        path: PathBuf,
    },

    /// The folder that should hold the copy is missing.
    #[error("cannot write the copy `{}`: its folder does not exist; create `{}` or name another file", path.display(), folder.display())]
    NoFolder {
        /// The file that was named for the copy.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },

    /// The folder of the copy cannot be written.
    #[error("cannot write the copy `{}`; let this user write its folder, or name another file", path.display())]
    NotWritable {
        /// The file that was named for the copy.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },

    /// The copy was made, but what was copied is damaged.
    #[error("the database `{}` is damaged ({problem}), so it was not copied; keep your backups and restore the newest one that is not damaged", path.display())]
    Inconsistent {
        /// The store.
        path: PathBuf,
        /// The first problem that SQLite found.
        problem: String,
    },

    /// Anything else; a full disk most of all.
    #[error("cannot make the copy `{}`; look whether its disk has room for it", path.display())]
    Failed {
        /// The file that was named for the copy.
        path: PathBuf,
        /// The error of SQLite.
        source: Cause,
    },
}
