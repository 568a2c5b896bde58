-- Runs of workflows, for lists and for the limit of those that have not ended. Everything else is in the run's object.
CREATE TABLE workflow_runs (
  tenant TEXT NOT NULL,
  run_id TEXT NOT NULL,
  workflow TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at TEXT NOT NULL, -- ISO 8601
  updated_at TEXT NOT NULL, -- ISO 8601
  ended_at TEXT, -- ISO 8601; null while it goes on
  total_cost_usd REAL NOT NULL,
  PRIMARY KEY (tenant, run_id)
) WITHOUT ROWID;

CREATE INDEX workflow_runs_by_creation ON workflow_runs (tenant, workflow, created_at, run_id);
CREATE INDEX workflow_runs_open ON workflow_runs (tenant) WHERE ended_at IS NULL;
