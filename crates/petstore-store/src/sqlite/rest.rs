//! What the connection that writes does while nothing is to be written: it stays
//! in a read transaction. SQLite locks its log for the first reader of a process
//! and unlocks it after the last, a system call each; beside a reader that stays,
//! others count up and down. They see what they would see without it: each looks
//! for the newest commit, and locks what it needs.
//!
//! Behind a reader that stays, the log cannot begin anew. So the writer rises
//! before it writes, and where another process writes it does not rest.

use rusqlite::Connection;
use std::time::Duration;

/// After this time it looks again whether another process wrote.
pub(super) const PERIOD: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Rest {
    /// Another number after each commit of another connection.
    version: Option<i64>,
}

impl Rest {
    /// Stays at the newest commit, unless another connection wrote since the last
    /// time. Nothing depends on it: if it fails, reads take some system calls
    /// more, and the next write tells what is wrong.
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

    /// Leaves the connection as if it had never rested.
    pub(super) fn end(&self, db: &Connection) {
        if db.is_autocommit() {
            return;
        }
        let ended = db
            .prepare_cached("ROLLBACK")
            .and_then(|mut end| end.execute([]));
        if let Err(error) = ended {
            tracing::error!(%error, "the connection that writes cannot be freed");
        }
    }
}
