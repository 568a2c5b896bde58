-- The read model of all sessions: lists, messages for search and export, costs, hook events, keys.
-- Everything but api_keys can be made again from the sessions' logs. Every key begins with the tenant.
-- `seq` is the last event of the session's log that changed the row; a write with a smaller one is too late.

CREATE TABLE sessions (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  title TEXT,
  cwd TEXT NOT NULL,
  state TEXT NOT NULL,
  model TEXT NOT NULL,
  permission_mode TEXT NOT NULL,
  options TEXT NOT NULL, -- JSON
  metadata TEXT NOT NULL, -- JSON
  created_at TEXT NOT NULL, -- ISO 8601, UTC
  updated_at TEXT NOT NULL,
  turns INTEGER NOT NULL,
  total_cost_usd REAL NOT NULL,
  seq INTEGER NOT NULL,
  deleted_at TEXT, -- set: a tombstone, whose other columns are empty and whose rows never come back
  PRIMARY KEY (tenant, session_id)
) WITHOUT ROWID;

CREATE INDEX sessions_by_creation ON sessions (tenant, created_at, session_id) WHERE deleted_at IS NULL;

CREATE TABLE messages (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  position INTEGER NOT NULL, -- seq of the event that opened the message
  id TEXT NOT NULL,
  turn TEXT NOT NULL,
  role TEXT NOT NULL,
  seq INTEGER NOT NULL,
  info TEXT NOT NULL, -- JSON
  PRIMARY KEY (tenant, session_id, position)
) WITHOUT ROWID;

CREATE TABLE parts (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  message_position INTEGER NOT NULL,
  position INTEGER NOT NULL, -- place within the message, from 0
  id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  type TEXT NOT NULL,
  seq INTEGER NOT NULL,
  part TEXT NOT NULL, -- JSON
  PRIMARY KEY (tenant, session_id, message_position, position)
) WITHOUT ROWID;

-- One row for each model request that was answered, thrown-away answers included.
CREATE TABLE costs (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL, -- ms since 1970
  turn TEXT,
  message_id TEXT NOT NULL,
  model TEXT NOT NULL,
  price_version TEXT NOT NULL,
  input INTEGER NOT NULL, -- tokens, without cache
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write_5m INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  web_searches INTEGER NOT NULL,
  usd REAL, -- null: the model has no price
  wasted INTEGER NOT NULL,
  parent_tool_use_id TEXT,
  PRIMARY KEY (tenant, session_id, seq)
) WITHOUT ROWID;

CREATE TABLE hook_events (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  hook_event_name TEXT NOT NULL,
  at INTEGER NOT NULL, -- ms since 1970
  input TEXT NOT NULL, -- JSON
  outcome TEXT NOT NULL, -- JSON
  PRIMARY KEY (tenant, session_id, seq)
) WITHOUT ROWID;

-- `hash` is the SHA-256 of the whole key; the key itself is shown once and stored nowhere.
CREATE TABLE api_keys (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  hash TEXT NOT NULL,
  label TEXT,
  created_at INTEGER NOT NULL, -- ms since 1970
  revoked_at INTEGER,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX api_keys_by_id ON api_keys (id);
