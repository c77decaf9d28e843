//! The SQL of events: writes an event in the transaction of its change, and deletes old events.

use super::records::{all, execute, prepared};
use crate::{
    event::NewEvent,
    record::stored_limit,
    row::{AnyRow, FromRow, Unreadable, Value},
};
use rusqlite::{Connection, params};

const INSERT: &str = "INSERT INTO events (id, type, at, entity_id, version, data) VALUES (randomblob(16), ?1, ?2, ?3, ?4, ?5)";
const OLDEST: &str =
    "SELECT position, id, at FROM events WHERE position > 0 ORDER BY position LIMIT $1";
const DELETE: &str = "DELETE FROM events WHERE position <= $1";
const PRUNED: &str = "UPDATE event_feed SET pruned = $1, pruned_id = $2";

/// Whether changes write events.
#[derive(Clone, Copy)]
pub(super) struct Feed(pub(super) bool);

impl Feed {
    /// Writes an event. Only the transaction of the batch holds the write lock, so positions ascend in the order of commits.
    pub(super) fn record(
        self,
        db: &Connection,
        event: impl FnOnce() -> NewEvent,
    ) -> rusqlite::Result<()> {
        if !self.0 {
            return Ok(());
        }
        let event = event();
        let (kind, data) = (event.kind.as_str(), event.data.as_bytes());
        let values = params![kind, event.at, event.entity_id, event.version, data];
        prepared(db, INSERT)?.execute(values).map(drop)
    }
}

/// The position, the id and the time of an event.
struct Old(i64, Vec<u8>, i64);

impl FromRow for Old {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let id = row.bytes(1)?.to_owned();
        Ok(Old(row.integer(0)?, id, row.integer(2)?))
    }
}

/// Deletes some of the oldest events from before this time, and returns how many.
pub(super) fn delete_before(db: &Connection, at: i64, limit: usize) -> rusqlite::Result<usize> {
    let oldest: Vec<Old> = all(db, OLDEST, &[stored_limit(limit).into()])?;
    let old = oldest.iter().take_while(|Old(_, _, time)| *time < at);
    let Some(Old(position, id, _)) = old.last() else {
        return Ok(0);
    };
    execute(db, PRUNED, &[(*position).into(), Value::Bytes(id)])?;
    execute(db, DELETE, &[(*position).into()])
}
