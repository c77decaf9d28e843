-- Schema 3: which creations were asked for with a key, so that a repeated
-- request finds what the first one made.

-- A row is written in the transaction of its pet. `fingerprint` is the SHA-256
-- of the value that was asked for, `created_at` microseconds since
-- 1970-01-01T00:00:00Z. No foreign keys: a row speaks of a moment, and what
-- becomes of the pet or the API key later does not change it.
CREATE TABLE idempotency_keys (
    key_id      TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    pet_id      INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (key_id, key)
) STRICT, WITHOUT ROWID;

-- Old rows are deleted a few at a time, the oldest first.
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
