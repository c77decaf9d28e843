-- Schema 10: events, and versions of pets and orders.

-- Grows by one with each change. Rows from before have the version 1.
ALTER TABLE pets ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE orders ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- As before, with the version: a page of a status is read from the index alone.
DROP INDEX pets_by_status;
CREATE INDEX pets_by_status ON pets (
    status, id, CASE WHEN octet_length(name) <= 255 THEN name END, category_id, version
) WHERE status IS NOT NULL;

-- AUTOINCREMENT: a position is never used again, also if all events were deleted. `id` is
-- random, `at` microseconds since 1970-01-01T00:00:00Z, and `data` JSON.
CREATE TABLE events (
    position  INTEGER PRIMARY KEY AUTOINCREMENT,
    id        BLOB    NOT NULL,
    type      TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    entity_id INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    data      BLOB    NOT NULL
) STRICT;

-- One row. `incarnation` is replaced when a cursor must not be continued, `pruned` the position
-- of the last event that was deleted, and `is_complete` 0 while servers record no events.
CREATE TABLE event_feed (
    incarnation INTEGER NOT NULL,
    pruned      INTEGER NOT NULL,
    pruned_id   BLOB    NOT NULL,
    is_complete INTEGER NOT NULL
) STRICT;
INSERT INTO event_feed VALUES (random(), 0, x'', 1);
