-- What a tenant keeps for all of its sessions: agents, commands, MCP servers, the router's settings.
CREATE TABLE definitions (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL, -- agent, command, mcp_server or router
  name TEXT NOT NULL,
  value TEXT NOT NULL, -- JSON without secrets
  sealed TEXT, -- JSON of the fields that are secret, encrypted with a key that is made of the root key
  created_at INTEGER NOT NULL, -- ms since 1970
  updated_at INTEGER NOT NULL, -- ms since 1970
  PRIMARY KEY (tenant, kind, name)
) WITHOUT ROWID;

-- How often a tenant's definitions were changed. Rows are never removed: a version means the same for ever.
CREATE TABLE definition_versions (
  tenant TEXT PRIMARY KEY,
  version INTEGER NOT NULL
) WITHOUT ROWID;
