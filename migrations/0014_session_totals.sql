-- How many sessions each tenant has, kept by triggers, and an index of those that are busy: metrics count sessions without
-- reading each of them. An erased session is not counted; rows that are rebuilt leave the totals as they were.

CREATE TABLE session_totals (
  tenant TEXT NOT NULL PRIMARY KEY,
  sessions INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO session_totals SELECT tenant, count(*) FROM sessions WHERE deleted_at IS NULL GROUP BY tenant;

CREATE INDEX sessions_busy ON sessions (tenant, state, updated_at) WHERE state <> 'idle' AND deleted_at IS NULL;

CREATE TRIGGER session_counted AFTER INSERT ON sessions WHEN NEW.deleted_at IS NULL
BEGIN
  INSERT INTO session_totals VALUES (NEW.tenant, 1) ON CONFLICT (tenant) DO UPDATE SET sessions = sessions + 1;
END;

CREATE TRIGGER session_erased AFTER UPDATE OF deleted_at ON sessions WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL
BEGIN
  UPDATE session_totals SET sessions = sessions - 1 WHERE tenant = OLD.tenant;
END;

CREATE TRIGGER session_uncounted AFTER DELETE ON sessions WHEN OLD.deleted_at IS NULL
BEGIN
  UPDATE session_totals SET sessions = sessions - 1 WHERE tenant = OLD.tenant;
END;
