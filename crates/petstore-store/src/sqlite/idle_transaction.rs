//! A read transaction that the write connection keeps open while no write is
//! queued. SQLite locks its log for the first reader of a process and unlocks it
//! after the last reader, with one system call each. While this transaction is open,
//! other readers only change a counter. Their results are the same as without it: each
//! reader looks for the newest commit, and locks what it needs.
//!
//! The log cannot start again from its beginning while a reader uses it. So the
//! writer ends the transaction before each write, and opens none while another
//! process writes.

use rusqlite::Connection;
use std::time::Duration;

/// How often the writer checks whether another process has written.
pub(super) const PERIOD: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct IdleTransaction {
    /// `PRAGMA data_version`, which changes with each commit of another connection.
    version: Option<i64>,
}

impl IdleTransaction {
    /// Opens the transaction at the newest commit, unless another connection has written
    /// since the last call. If this fails, reads need some more system calls, and
    /// the next write reports the cause.
    pub(super) fn begin(&mut self, db: &Connection) {
        self.end(db);
        let look = || {
            db.prepare_cached("BEGIN")?.execute([])?;
            db.prepare_cached("PRAGMA data_version")?
                .query_one([], |row| row.get(0))
        };
        let Ok(version) = look() else {
            return self.end(db);
        };
        if self
            .version
            .replace(version)
            .is_some_and(|last| last != version)
        {
            self.end(db);
        }
    }

    /// Ends the transaction, if there is one.
    pub(super) fn end(&self, db: &Connection) {
        if db.is_autocommit() {
            return;
        }
        let ended = db
            .prepare_cached("ROLLBACK")
            .and_then(|mut end| end.execute([]));
        if let Err(error) = ended {
            tracing::error!(%error, "cannot roll back the idle transaction of the write connection");
        }
    }
}
