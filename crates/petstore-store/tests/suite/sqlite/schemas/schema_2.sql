-- A store between 1.0.0 and 1.1.0: schema 2, some pets, keys and calls, and the
-- highest id gone. Never edited; what opens it is the present code.
PRAGMA journal_mode = wal;
PRAGMA application_id = 1885697139;
PRAGMA user_version = 2;
BEGIN;
CREATE TABLE pets (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL,
    category_id INTEGER NOT NULL,
    status      TEXT
) STRICT;
CREATE INDEX pets_by_status ON pets (status) WHERE status IS NOT NULL;
CREATE TABLE api_keys (
    id         TEXT    PRIMARY KEY,
    name       TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
CREATE TABLE deprecated_calls (
    operation  TEXT    NOT NULL,
    key_id     TEXT    NOT NULL,
    calls      INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    PRIMARY KEY (operation, key_id)
) STRICT, WITHOUT ROWID;
INSERT INTO pets VALUES (1, 'Rex', 7, 'available');
INSERT INTO pets VALUES (2, 'Zoë 🐈', -9223372036854775808, 'pending');
INSERT INTO pets VALUES (3, CAST(X'610062' AS TEXT), 9223372036854775807, 'sold');
INSERT INTO pets VALUES (5, '', 0, NULL);
UPDATE sqlite_sequence SET seq = 8 WHERE name = 'pets';
INSERT INTO api_keys VALUES ('k_mvbvqf8yh5d5', 'first', X'0101010101010101010101010101010101010101010101010101010101010101', 1795132800000000, NULL, 1795132800000002);
INSERT INTO api_keys VALUES ('k_mvbvqf8yh5d6', 'an old one', X'0202020202020202020202020202020202020202020202020202020202020202', 1795132800000001, 1795219200123456, NULL);
INSERT INTO deprecated_calls VALUES ('getPet', 'k_mvbvqf8yh5d5', 3, 1795132800000001, 1795132800000002);
COMMIT;
