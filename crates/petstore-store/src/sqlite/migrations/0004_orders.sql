-- Schema 4: orders.

-- AUTOINCREMENT: as with pets, an id is never used again. No CHECK on `status`:
-- which values there are, and which follow which, is decided by the contract
-- and `transitions`. Times are microseconds since 1970-01-01T00:00:00Z.
CREATE TABLE orders (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    pet_id     INTEGER NOT NULL REFERENCES pets (id),
    status     TEXT    NOT NULL,
    placed_at  INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Each entry ends with the row's id, so every filtered page is one seek and one
-- scan: by status, by pet, and by both, since one pet can be ordered and
-- cancelled any number of times.
CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_pet ON orders (pet_id);
CREATE INDEX orders_by_pet_and_status ON orders (pet_id, status);

-- What was made with a key is a pet or an order; its fingerprint tells which.
ALTER TABLE idempotency_keys RENAME COLUMN pet_id TO made_id;
