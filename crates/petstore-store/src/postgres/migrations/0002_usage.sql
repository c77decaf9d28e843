-- Schema 2: who still calls what, and when a key was used last.

ALTER TABLE api_keys ADD COLUMN last_used_at bigint;

-- A row an operation and key; times are microseconds since
-- 1970-01-01T00:00:00Z. No foreign key: what is counted for a key that an
-- older copy of the store does not have must not keep the rest from being
-- written.
CREATE TABLE deprecated_calls (
    operation  text   COLLATE "C" NOT NULL,
    key_id     text   COLLATE "C" NOT NULL,
    calls      bigint NOT NULL,
    first_seen bigint NOT NULL,
    last_seen  bigint NOT NULL,
    PRIMARY KEY (operation, key_id)
);
