-- Requests that made something and had an Idempotency-Key: a repetition is answered from here for a day.
CREATE TABLE named_requests (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL, -- a hash of the API key's id and the Idempotency-Key
  fingerprint TEXT NOT NULL, -- a hash of the route and what was asked
  creation_id TEXT NOT NULL, -- names what the request makes, however often it is carried out
  lease TEXT NOT NULL, -- names the attempt that carries it out
  leased_until INTEGER NOT NULL, -- ms since 1970
  sealed TEXT, -- the answer, encrypted with a key that is made of the root key; null until there is one
  expires_at INTEGER NOT NULL, -- ms since 1970
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;

CREATE INDEX named_requests_by_end ON named_requests (expires_at);
