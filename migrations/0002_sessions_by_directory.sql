-- `continue`: the session of a directory that was used last.
CREATE INDEX sessions_by_directory ON sessions (tenant, cwd, updated_at, session_id) WHERE deleted_at IS NULL;
