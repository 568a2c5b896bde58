-- Recordings of sessions and of workflows' runs, for lists. Everything else is in the recording's object.
CREATE TABLE recordings (
  tenant TEXT NOT NULL,
  recording_id TEXT NOT NULL,
  kind TEXT NOT NULL, -- session or workflow
  name TEXT NOT NULL,
  tags TEXT NOT NULL, -- JSON list of texts
  created_at TEXT NOT NULL, -- ISO 8601
  finalized INTEGER NOT NULL, -- 1 when what was recorded had ended
  duration_ms REAL NOT NULL,
  signals INTEGER NOT NULL,
  answers INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  source TEXT NOT NULL, -- JSON: session_id, run_id, workflow
  PRIMARY KEY (tenant, recording_id)
) WITHOUT ROWID;

CREATE INDEX recordings_by_creation ON recordings (tenant, created_at, recording_id);
