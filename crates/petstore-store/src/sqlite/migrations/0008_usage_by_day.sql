-- Schema 8: usage of deprecated operations by day.

-- What the last caller called itself (`User-Agent`), cut and without control characters.
ALTER TABLE deprecated_calls ADD COLUMN last_user_agent TEXT;

-- `day` is the number of days since 1970-01-01, in UTC. The calls of earlier versions are in
-- `deprecated_calls` only. Old days are deleted, so the day comes first.
CREATE TABLE deprecated_calls_by_day (
    day       INTEGER NOT NULL,
    operation TEXT    NOT NULL,
    key_id    TEXT    NOT NULL,
    calls     INTEGER NOT NULL,
    PRIMARY KEY (day, operation, key_id)
) STRICT, WITHOUT ROWID;
