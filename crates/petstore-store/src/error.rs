//! The errors of a store: of its calls, of opening it, and of copying it.
//!
//! The `Display` text of a [`StoreError`] is safe to show to anybody: the message of the database
//! is only in `source()`, for the log.

use std::{error::Error, fmt, io, path::PathBuf, sync::Arc};

/// The error of the database or the operating system; for the log, not for
/// clients. It is shared, since a failed commit is the error of several callers.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// The reason why a call of the store failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The queue of writes is full. Nothing was started; the same call may
    /// succeed a moment later.
    #[error("the store has too many writes waiting; nothing was started, try again in a moment")]
    Overloaded,

    /// The store is not available now: locked, disk full, input or output failed,
    /// or closed. The same call may succeed later, but check the outcome before you repeat a write.
    #[error("the store is not available at the moment; {outcome}")]
    Unavailable {
        /// The outcome of the call.
        outcome: Outcome,
        /// The error of the database.
        source: Cause,
    },

    /// The database is damaged, or holds a value that this version cannot
    /// read. A repeated call does not help; use a backup, or the newer version that wrote the
    /// value.
    #[error("the store holds data that cannot be read")]
    Corrupt {
        /// The error of the database.
        source: Cause,
    },

    /// Writes have failed or waited for some seconds. Only [`Store::check`](crate::Store::check)
    /// returns this error, until a write succeeds.
    #[error("writes have not succeeded for {seconds} seconds; {reason}")]
    NotWritable {
        /// How long no write has succeeded, in seconds.
        seconds: u64,
        /// The reason, with the error of the database; for the owner of the service.
        reason: String,
    },

    /// A key with this id or this hash already exists; create a new key.
    #[error("there is already a key with this id or this hash; create a new key")]
    KeyExists,

    /// An error in this crate. The write was not applied.
    #[error("the store had an internal error")]
    Internal {
        /// What happened.
        source: Cause,
    },
}

impl StoreError {
    /// The write was not applied: it was not sent, or it changed nothing.
    pub(crate) fn not_applied(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Unavailable {
            outcome: Outcome::NotApplied,
            source: Arc::new(source),
        }
    }

    /// The write may have been applied.
    pub(crate) fn unknown(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Unavailable {
            outcome: Outcome::Unknown,
            source: Arc::new(source),
        }
    }

    /// A row contains a value that this version cannot read.
    pub(crate) fn corrupt(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Corrupt {
            source: Arc::new(source),
        }
    }

    pub(crate) fn internal(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Internal {
            source: Arc::new(source),
        }
    }
}

/// The outcome of a write that returned [`StoreError::Unavailable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The write did not happen, and will not happen. A read that failed has this outcome, too.
    NotApplied,
    /// The write may have happened: check before you repeat it.
    Unknown,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotApplied => "nothing was changed, try again later",
            Self::Unknown => {
                "it is unknown whether the change was made; check before you repeat it"
            }
        })
    }
}

/// A store could not be opened, and nothing in it was changed. The text is for the
/// owner of the service.
#[derive(Debug)]
pub struct OpenError {
    /// The URL of the database, without its password.
    pub database: String,
    /// The reason.
    pub problem: OpenProblem,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { database, problem } = self;
        write!(f, "cannot open the database `{database}`: {problem}")
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.problem.source()
    }
}

impl OpenError {
    /// Whether opening the store may succeed later without a change of its settings: the
    /// database cannot be reached, is a replica, is busy or is locked.
    #[must_use]
    pub const fn is_temporary(&self) -> bool {
        matches!(
            self.problem,
            OpenProblem::Unreachable(_) | OpenProblem::Interrupted(_) | OpenProblem::Locked(_)
        )
    }
}

/// The reason why a store could not be opened, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenProblem {
    /// The folder that should hold the file is missing.
    #[error("its folder does not exist; create `{}` or name another file", .0.display())]
    NoFolder(PathBuf),

    /// The path is a folder.
    #[error("it is a folder; name a file in it, such as `petstore.db`")]
    IsFolder,

    /// The file has several names.
    #[error(
        "it has {0} names (hard links) and must have only one: the log is named after the store, so a server that opens the store with another name would not find the log; remove the other names, or copy the store with `backup`"
    )]
    Linked(u64),

    /// The file or its folder cannot be written.
    #[error(
        "it cannot be written; give the user of the service write permission for the file and its folder"
    )]
    NotWritable(#[source] Cause),

    /// The store does not exist, and the caller did not allow its creation.
    #[error(
        "there is no store; check the setting `database` for a typing mistake, or create the store with `migrate --create` or by starting `serve`"
    )]
    NoStore,

    /// The file is not a database, or the database has the tables of another program.
    #[error(
        "it is not a pet store database and was not changed; name another file or an empty database"
    )]
    NotAStore,

    /// The store was created or migrated by a newer version.
    #[error(
        "it was written by a newer version: its schema is {found}, this version knows schemas up to {supported}; use the newer version or a backup from before the upgrade (the store was not changed)"
    )]
    TooNew {
        /// Its schema version.
        found: i64,
        /// The newest schema version that this version supports.
        supported: i64,
    },

    /// The store was written by an older version, and the caller did not allow an upgrade.
    #[error(
        "it was written by an older version: its schema is {found}, and this version needs {needed}; use the version that the service runs, or upgrade the store with `migrate` (see `migrate --dry-run` first: older versions reject an upgraded store; the store was not changed)"
    )]
    TooOld {
        /// Its schema version.
        found: i64,
        /// The schema version that is needed.
        needed: i64,
    },

    /// The file is a pet store database, but it is damaged or truncated.
    #[error("it is damaged; restore it from a backup")]
    Damaged(#[source] Cause),

    /// Another program has locked the file exclusively.
    #[error("another program keeps it locked; stop that program and start again")]
    Locked(#[source] Cause),

    /// The file system does not support durable and concurrent writes: SQLite
    /// uses this journal mode instead of a write-ahead log.
    #[error(
        "it cannot use a write-ahead log (the journal mode is `{0}`); put it on a local file system"
    )]
    NoWriteAheadLog(String),

    /// The thread that writes to the file could not be started.
    #[error("the thread that writes cannot be started; raise the limit of threads or processes")]
    NoThread(#[source] io::Error),

    /// No host is a PostgreSQL database that accepts writes. The text of this
    /// variant and of the next two contains the error of each host.
    #[error(
        "it cannot be reached; check that it runs and that one of its hosts is not a replica ({0})"
    )]
    Unreachable(String),

    /// The PostgreSQL server closed the connection or was busy, for example because another
    /// server was migrating the store.
    #[error("it closed the connection or was busy; try again")]
    Interrupted(#[source] Cause),

    /// The PostgreSQL server rejected the login.
    #[error(
        "it rejects the login; check user, password and database name; a password is written as in `postgres://USER:PASSWORD@HOST/NAME` ({0})"
    )]
    Refused(String),

    /// The encrypted connection to PostgreSQL could not be made.
    #[error(
        "no encrypted connection can be established; name the authority of its certificate with `sslrootcert=FILE`, or, on a network that you trust, set `sslmode=disable` ({0})"
    )]
    Tls(String),

    /// The certificates to trust could not be read.
    #[error(
        "the certificates to trust cannot be read from {place}; name a PEM file with `sslrootcert=FILE`"
    )]
    NoCertificates {
        /// The file or the TLS library from which they were read.
        place: String,
        /// The reason.
        source: Cause,
    },

    /// A setting of the PostgreSQL server allows commits to be lost in a crash.
    #[error(
        "it can lose completed writes: its `{setting}` is `{value}`; set it to `on` and start again"
    )]
    NotDurable {
        /// The name of the setting.
        setting: &'static str,
        /// The value of the setting.
        value: String,
    },

    /// Any other error of the database.
    #[error("the database reports an error")]
    Failed(#[source] Cause),
}

impl OpenProblem {
    pub(crate) fn failed(source: impl Error + Send + Sync + 'static) -> Self {
        Self::Failed(Arc::new(source))
    }
}

/// A backup could not be restored or verified. The store was not changed. The text is for the
/// owner of the service.
#[derive(Debug)]
pub struct RestoreError {
    /// The backup.
    pub file: PathBuf,
    /// The URL of the store; `None` if the backup is only verified.
    pub to: Option<String>,
    /// The reason. Variants such as [`BackupProblem::NoStore`] apply to the backup here.
    pub problem: BackupProblem,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, to, problem } = self;
        let file = file.display();
        match (to, problem) {
            (Some(to), BackupProblem::InUse | BackupProblem::NotAFile) => {
                write!(f, "cannot replace `{to}` by `{file}`: {problem}")
            }
            (_, BackupProblem::NoStore) => {
                write!(
                    f,
                    "the backup `{file}` cannot be used: there is no store in it; name another file"
                )
            }
            (_, BackupProblem::Source(OpenProblem::Damaged(_))) => {
                write!(f, "the backup `{file}` is damaged; use another backup")
            }
            (_, BackupProblem::Source(problem)) => {
                write!(f, "the backup `{file}` cannot be used: {problem}")
            }
            (_, BackupProblem::Inconsistent(first)) => {
                write!(
                    f,
                    "the backup `{file}` is damaged ({first}); use another backup"
                )
            }
            (_, BackupProblem::Changed) => {
                write!(f, "the backup `{file}` cannot be used: {problem}")
            }
            (Some(to), _) => write!(f, "cannot restore `{to}` from `{file}`: {problem}"),
            (None, BackupProblem::Failed(_)) => {
                write!(
                    f,
                    "cannot verify `{file}`: it cannot be read; check its disk for errors"
                )
            }
            (None, _) => write!(f, "cannot verify `{file}`: {problem}"),
        }
    }
}

impl Error for RestoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.problem.source()
    }
}

/// A store could not be copied. The store was not changed, and no file with the
/// requested name was created. The text is for the owner of the service.
#[derive(Debug)]
pub struct BackupError {
    /// The URL of the store, without its password.
    pub from: String,
    /// The requested file name of the copy.
    pub to: PathBuf,
    /// The reason.
    pub problem: BackupProblem,
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, problem } = self;
        write!(f, "cannot copy `{from}` to `{}`: {problem}", to.display())
    }
}

impl Error for BackupError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.problem.source()
    }
}

/// The reason why a store could not be copied, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupProblem {
    /// The store is not an SQLite file.
    #[error(
        "only a store in an SQLite file can be copied and restored: a store in memory is lost when its process ends, and PostgreSQL has its own tools, `pg_dump` and `pg_restore`, and `pg_basebackup`"
    )]
    NotAFile,

    /// There is nothing to copy.
    #[error("there is no store; name the file that the service uses")]
    NoStore,

    /// The store to copy cannot be opened.
    #[error(transparent)]
    Source(#[from] OpenProblem),

    /// A file with the name of the copy already exists.
    #[error("the copy exists already and was not changed; name a new file")]
    Exists,

    /// The log of a removed or replaced database has the name under which SQLite looks for the log of the copy.
    #[error(
        "`{}` belongs to another database, and SQLite would apply it to the copy; remove it or name another file", .0.display()
    )]
    LogBeside(PathBuf),

    /// The folder that should hold the copy is missing.
    #[error("the folder of the copy does not exist; create `{}` or name another file", .0.display())]
    NoFolder(PathBuf),

    /// The folder of the copy cannot be written.
    #[error(
        "the copy cannot be written; give this user write permission for its folder, or name another file"
    )]
    NotWritable(#[from] io::Error),

    /// The copy was made, but its data is damaged: this is the first problem that
    /// SQLite reported.
    #[error(
        "the store is damaged ({0}), so it was not copied; keep your backups and restore the newest one that is not damaged"
    )]
    Inconsistent(String),

    /// The checksum of a backup is wrong.
    #[error(
        "its checksum is wrong, so its bytes have changed since it was created, and it may contain wrong data; use another backup"
    )]
    Changed,

    /// A process uses the store that should be replaced.
    #[error("a service or a command uses the store; stop it, and then restore")]
    InUse,

    /// Any other problem, most often a full disk.
    #[error("the copy cannot be created; check whether its disk has room for it")]
    Failed(#[source] Cause),
}
