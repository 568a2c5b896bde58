// The version of this Perch, as `/openapi.json`, `system/init` and both sides of MCP report it, and what it requires.
// Invariant: package.json, wrangler.toml and migrations/ are the sources; a test compares the two values that are copied here.
import manifest from "../../package.json" with { type: "json" }

export const PERCH_VERSION = manifest.version

/** The `compatibility_date` of wrangler.toml, which a Worker can't read at run time. */
export const COMPATIBILITY_DATE = "2026-10-01"

/** The last file of migrations/ without its extension: the migration that the D1 database must have. */
export const LAST_MIGRATION = "0014_session_totals"
