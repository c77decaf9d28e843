-- Schema 7: since when calls of deprecated operations are counted.

-- The time at which the first server began to count the calls of the operation, in microseconds
-- since 1970-01-01T00:00:00Z. Earlier versions have not stored it.
CREATE TABLE counted_operations (
    operation text   COLLATE "C" PRIMARY KEY,
    since     bigint NOT NULL
);
