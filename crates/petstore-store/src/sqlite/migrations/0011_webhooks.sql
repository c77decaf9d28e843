-- Schema 11: webhooks.

-- Times are microseconds since 1970-01-01T00:00:00Z. `slot` is a number from 1 that no other
-- endpoint of the key has. `types` is empty for all types, or such as `,pet.created,order.placed,`.
-- Events up to `from_position` are not delivered. Those after `missed_position`, which happened after
-- `missed_since`, can be delivered when the owner asks for them. No CHECK on `status` and `reason`, as in other tables.
CREATE TABLE webhook_endpoints (
    id             TEXT    PRIMARY KEY,
    key_id         TEXT    NOT NULL,
    slot           INTEGER NOT NULL,
    url            TEXT    NOT NULL,
    types          TEXT    NOT NULL,
    description    TEXT,
    status         TEXT    NOT NULL,
    reason         TEXT,
    generation     INTEGER NOT NULL,
    previous_until INTEGER,
    master_id      TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    from_position  INTEGER NOT NULL,
    failing_since  INTEGER,
    missed_since   INTEGER,
    missed_position INTEGER,
    UNIQUE (key_id, slot)
) STRICT, WITHOUT ROWID;

-- `due_at` of a delivery that waits is the time of its next attempt, or the end of the lease while it
-- is sent; later it is the time of the last attempt. `last_*` is the result of the last attempt.
CREATE TABLE webhook_deliveries (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    endpoint_id  TEXT    NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    message_id   TEXT    NOT NULL,
    type         TEXT    NOT NULL,
    payload      BLOB    NOT NULL,
    created_at   INTEGER NOT NULL,
    status       TEXT    NOT NULL,
    tries        INTEGER NOT NULL,
    due_at       INTEGER NOT NULL,
    last_at      INTEGER,
    last_status  INTEGER,
    last_failure TEXT,
    last_millis  INTEGER
) STRICT;

-- Pages of the deliveries of an endpoint.
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id);
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (endpoint_id, status);
-- The deliveries to send. By endpoint, so that those of an endpoint that takes none now are not read.
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, due_at) WHERE status = 'waiting';
-- The deliveries to delete.
CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (due_at);

-- One row: the position of the last event that was made into deliveries.
CREATE TABLE webhook_feed (
    position INTEGER NOT NULL
) STRICT;
INSERT INTO webhook_feed SELECT coalesce(max(position), 0) FROM events;
