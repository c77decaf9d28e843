-- Schema 2: who still calls what, and when a key was used last.

ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;

-- A row an operation and key; times are microseconds since
-- 1970-01-01T00:00:00Z. No foreign key: what is counted for a key that an
-- older copy of the store does not have must not keep the rest from being
-- written.
CREATE TABLE deprecated_calls (
    operation  TEXT    NOT NULL,
    key_id     TEXT    NOT NULL,
    calls      INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    PRIMARY KEY (operation, key_id)
) STRICT, WITHOUT ROWID;
