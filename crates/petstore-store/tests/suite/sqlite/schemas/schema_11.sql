-- A store of schema 11: some pets, orders, keys, calls and two
-- idempotency keys, and the highest ids gone. Never edited; what opens it is the
-- present code.
PRAGMA journal_mode = wal;
PRAGMA application_id = 1885697139;
PRAGMA user_version = 11;
BEGIN;
CREATE TABLE pets (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL,
    category_id INTEGER NOT NULL,
    status      TEXT
) STRICT;
CREATE INDEX pets_by_status ON pets (
    status, id, CASE WHEN octet_length(name) <= 255 THEN name END, category_id
) WHERE status IS NOT NULL;
ALTER TABLE pets ADD COLUMN status_padding TEXT;
CREATE TABLE api_keys (
    id         TEXT    PRIMARY KEY,
    name       TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN rate_per_second INTEGER;
ALTER TABLE api_keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'read,write';
CREATE TABLE deprecated_calls (
    operation  TEXT    NOT NULL,
    key_id     TEXT    NOT NULL,
    calls      INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    PRIMARY KEY (operation, key_id)
) STRICT, WITHOUT ROWID;
ALTER TABLE deprecated_calls ADD COLUMN last_user_agent TEXT;
CREATE TABLE deprecated_calls_by_day (
    day       INTEGER NOT NULL,
    operation TEXT    NOT NULL,
    key_id    TEXT    NOT NULL,
    calls     INTEGER NOT NULL,
    PRIMARY KEY (day, operation, key_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE counted_operations (
    operation TEXT    PRIMARY KEY,
    since     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency_keys (
    key_id      TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    made_id     INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (key_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
CREATE TABLE orders (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id     INTEGER NOT NULL REFERENCES pets (id),
    status     TEXT    NOT NULL,
    placed_at  INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_pet ON orders (pet_id);
CREATE INDEX orders_by_pet_and_status ON orders (pet_id, status);
INSERT INTO pets VALUES (1, 'Rex', 7, 'available', '');
INSERT INTO pets VALUES (2, 'Zoë 🐈', -9223372036854775808, 'pending', '  ');
INSERT INTO pets VALUES (3, CAST(X'610062' AS TEXT), 9223372036854775807, 'sold', NULL);
INSERT INTO pets VALUES (5, '', 0, NULL, NULL);
UPDATE sqlite_sequence SET seq = 8 WHERE name = 'pets';
INSERT INTO api_keys VALUES ('k_mvbvqf8yh5d5', 'first', X'0101010101010101010101010101010101010101010101010101010101010101', 1795132800000000, NULL, 1795132800000002, NULL, NULL, 'read,write');
INSERT INTO api_keys VALUES ('k_mvbvqf8yh5d6', 'an old one', X'0202020202020202020202020202020202020202020202020202020202020202', 1795132800000001, 1795219200123456, NULL, 1795305600000007, 20, 'read');
INSERT INTO deprecated_calls VALUES ('getPet', 'k_mvbvqf8yh5d5', 3, 1795132800000001, 1795132800000002, 'curl/8');
INSERT INTO deprecated_calls_by_day VALUES (20777, 'getPet', 'k_mvbvqf8yh5d5', 3);
INSERT INTO counted_operations VALUES ('getPet', 1795132800000003);
INSERT INTO idempotency_keys VALUES ('k_mvbvqf8yh5d5', 'a "first" one', X'A502A3F0713A02E8EC0F210C03E83CDC8F6F6943506699CDC08151D5061D00D3', 1, 1795132800000001);
INSERT INTO idempotency_keys VALUES ('k_mvbvqf8yh5d5', 'an order', X'A001C1DF9CD8AE2C0594FA45F36773E7821DF116C0328183044FBCFA81E0A85F', 2, 1795132800000003);
INSERT INTO orders VALUES (1, 3, 'delivered', 1795132800000000, 1795132800000009);
INSERT INTO orders VALUES (2, 2, 'approved', 1795132800000003, 1795132800000004);
UPDATE sqlite_sequence SET seq = 5 WHERE name = 'orders';
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
INSERT INTO webhook_endpoints VALUES ('we_000000000001', 'k_mvbvqf8yh5d5', 1, 'https://example.com/hook', ',pet.created,', 'the first one', 'enabled', NULL, 2, 1795132800000009, '0123456789abcdef', 1795132800000001, 1795132800000002, 0, 1795132800000003, NULL, NULL);
INSERT INTO webhook_deliveries VALUES (4, 'we_000000000001', 'evt_1', 'pet.created', X'7B7D', 1795132800000004, 'waiting', 1, 1795132800000006, 1795132800000005, 500, 'status', 17);
COMMIT;
