-- Hook events by time and by name; those that could not be stored; and the secrets that HTTP hooks are signed with.
CREATE INDEX hook_events_by_time ON hook_events (tenant, at, session_id, seq);
CREATE INDEX hook_events_by_name ON hook_events (tenant, hook_event_name, at, session_id, seq);

-- Messages that the queue gave up on. `id` is the hook event's own.
CREATE TABLE hook_dead_letters (
  tenant TEXT NOT NULL,
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  hook_event_name TEXT NOT NULL,
  at INTEGER NOT NULL, -- ms since 1970, of the event
  died_at INTEGER NOT NULL, -- ms since 1970
  reason TEXT NOT NULL,
  redelivered_at INTEGER, -- ms since 1970: put on the queue again, and not stored yet
  input TEXT NOT NULL, -- JSON
  outcome TEXT NOT NULL, -- JSON
  PRIMARY KEY (tenant, session_id, seq)
) WITHOUT ROWID;

CREATE INDEX hook_dead_letters_by_time ON hook_dead_letters (tenant, died_at, id);

-- `sealed` is the secret, encrypted with a key that is made of the root key.
CREATE TABLE webhook_secrets (
  tenant TEXT NOT NULL,
  id TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- ms since 1970
  retires_at INTEGER, -- ms since 1970: signs until then; null for the one that is current
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (tenant) WHERE retires_at IS NULL;
