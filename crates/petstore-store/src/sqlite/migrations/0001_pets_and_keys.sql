-- Schema 1: pets and API keys.

-- AUTOINCREMENT: an id is never used again, so that a cursor or a note of
-- somebody's never leads to another pet. No CHECK on `status`: which values
-- there are is decided by the contract, and to widen a CHECK would mean to
-- rewrite the table.
CREATE TABLE pets (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL,
    category_id INTEGER NOT NULL,
    status      TEXT
) STRICT;

-- Each entry ends with the row's id, so this is an index on (status, id): a
-- filtered page is one seek and one scan. A pet without a status matches no
-- filter and needs no entry.
CREATE INDEX pets_by_status ON pets (status) WHERE status IS NOT NULL;

-- Times are microseconds since 1970-01-01T00:00:00Z.
CREATE TABLE api_keys (
    id         TEXT    PRIMARY KEY,
    name       TEXT    NOT NULL,
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT, WITHOUT ROWID;
