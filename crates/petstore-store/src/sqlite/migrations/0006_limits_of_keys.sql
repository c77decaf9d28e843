-- Schema 6: limits of keys.

-- `expires_at` is microseconds since 1970-01-01T00:00:00Z. `rate_per_second` is 0 for
-- a key without a rate limit, and NULL for one with that of the server. No CHECK on
-- `scope`: a version that does not know a scope rejects the key.
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
ALTER TABLE api_keys ADD COLUMN rate_per_second INTEGER;
ALTER TABLE api_keys ADD COLUMN scope TEXT NOT NULL DEFAULT 'read,write';
