-- Schema 8: events, and versions of pets and orders.

-- Grows by one with each change. Rows from before have the version 1.
ALTER TABLE pets ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE orders ADD COLUMN version bigint NOT NULL DEFAULT 1;

-- `id` is random, `at` microseconds since 1970-01-01T00:00:00Z, and `data` JSON in UTF-8.
CREATE TABLE events (
    position  bigint PRIMARY KEY,
    id        bytea  NOT NULL,
    type      text   COLLATE "C" NOT NULL,
    at        bigint NOT NULL,
    entity_id bigint NOT NULL,
    version   bigint NOT NULL,
    data      bytea  NOT NULL
);

-- One row, with the position of the newest event. A transaction takes the positions of its events at
-- its end, and keeps the row locked until it is committed: positions ascend in the order of commits.
CREATE TABLE event_head (
    position bigint NOT NULL
);
INSERT INTO event_head VALUES (0);

-- One row. `incarnation` is replaced when a cursor must not be continued, `pruned` the position
-- of the last event that was deleted, and `is_complete` 0 while servers record no events.
CREATE TABLE event_feed (
    incarnation bigint NOT NULL,
    pruned      bigint NOT NULL,
    pruned_id   bytea  NOT NULL,
    is_complete bigint NOT NULL
);
INSERT INTO event_feed VALUES ((random() * 9e18)::bigint, 0, '', 1);
