-- Keys have scopes, an end, and a second secret while they are rolled; tickets are signed with stored random keys; the
-- audit tells who did what. A key that was made before has every scope but `admin`.
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL -- JSON
  DEFAULT '["sessions:read","sessions:write","answer","files","bypass","tickets"]';
ALTER TABLE api_keys ADD COLUMN expires_at INTEGER; -- ms since 1970; null: never
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER; -- within about a minute
ALTER TABLE api_keys ADD COLUMN generation INTEGER NOT NULL DEFAULT 0; -- how often it was rolled
ALTER TABLE api_keys ADD COLUMN previous_hash TEXT; -- the secret before the last roll
ALTER TABLE api_keys ADD COLUMN previous_until INTEGER; -- until when that one is good

-- The newest signs; a ticket names the one that signed it. Add a row to rotate; remove one and its tickets are void.
CREATE TABLE ticket_keys (
  id TEXT PRIMARY KEY,
  secret TEXT NOT NULL, -- 256 random bits in hex
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Who did what: ids, never content. Rows stay when their session is erased.
CREATE TABLE audit (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL, -- session and seq of the event, or a random one: written twice, it is one row
  at INTEGER NOT NULL, -- ms since 1970
  action TEXT NOT NULL,
  session_id TEXT,
  key_id TEXT NOT NULL, -- `root` for the root key
  ticket_id TEXT,
  address TEXT,
  subject TEXT, -- the id of the turn, ask, key or ticket that it is about
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

CREATE INDEX audit_by_time ON audit (tenant, at, id);
CREATE INDEX audit_by_session ON audit (tenant, session_id, at, id);
