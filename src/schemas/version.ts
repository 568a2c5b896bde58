// The version of this Perch, as `/openapi.json`, `system/init` and both sides of MCP report it, and what it requires.
// Invariant: package.json, wrangler.toml and migrations/ are the sources; a test compares the values that are copied here.

/** The `version` of package.json, which is not imported: the bundle would contain the whole file. */
export const PERCH_VERSION = "0.1.0"

/** The `compatibility_date` of wrangler.toml, which a Worker can't read at run time. */
export const COMPATIBILITY_DATE = "2026-10-01"

/** The last file of migrations/ without its extension: the migration that the D1 database must have. */
export const LAST_MIGRATION = "0014_session_totals"
