//! The SQL of events. A statement that makes changes also writes their events, in the same transaction.
//!
//! # Positions
//!
//! Positions do not come from a sequence. A number from a sequence is taken before the commit, so an event
//! could become visible after an event with a greater number, and a consumer would miss it. Instead, a
//! statement takes the positions of its events from the row of `event_head`, after all its changes, and keeps
//! that row locked until its transaction is committed and visible. So positions ascend in the order of
//! commits of all servers. A statement waits for no other lock after this one, so two statements cannot deadlock.

use crate::event::random_number;
use std::sync::LazyLock;

/// A statement that makes changes: at index 0 without their events, and at index 1 with them.
pub(super) type Sql = LazyLock<[String; 2]>;

/// The common table expressions that write the events of a statement. They follow an expression `told`, which
/// returns a row for each event: `place` (from 1), `type`, `at`, `entity_id`, `version`, `data`.
/// The id of an event consists of the parameter with the number `seed` and the position. The expression with the name `changed`
/// makes the changes or reads those that do, and has as many rows. Because of it, the positions are taken after the changes.
pub(super) fn tell(seed: usize, changed: &str) -> String {
    format!(
        ", head AS (
            UPDATE event_head SET position = event_head.position + counted.number
            FROM (SELECT count(*) AS number FROM {changed}) AS counted WHERE counted.number > 0
            RETURNING event_head.position - counted.number AS before
        ), written AS (
            INSERT INTO events (position, id, type, at, entity_id, version, data)
            SELECT before + place, ${seed}::bytea || int8send(before + place), type, at, entity_id, version, data
            FROM told, head
        )"
    )
}

/// Eight random bytes. If positions run again after a restore, the ids of their events are different.
pub(super) fn seed() -> Vec<u8> {
    random_number().to_be_bytes().to_vec()
}

/// Deletes the oldest events from before `$1`, at most `$2`, and returns their positions. Stores the position of the last deleted event.
/// Rows that another server is deleting are skipped.
pub(super) const DELETE_BEFORE: &str = "
    WITH oldest AS MATERIALIZED (
        SELECT position, id, at FROM events ORDER BY position LIMIT $2 FOR UPDATE SKIP LOCKED
    ), old AS MATERIALIZED (
        SELECT position, id FROM oldest
        WHERE position < (SELECT coalesce(min(position), 9223372036854775807) FROM oldest WHERE at >= $1)
    ), deleted AS (
        DELETE FROM events USING old WHERE events.position = old.position
    ), noted AS (
        UPDATE event_feed SET pruned = last.position, pruned_id = last.id
        FROM (SELECT position, id FROM old ORDER BY position DESC LIMIT 1) AS last WHERE event_feed.pruned < last.position
    )
    SELECT position FROM old";
