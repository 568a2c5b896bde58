// What this Perch is: its version, as `/openapi.json`, `system/init` and both sides of MCP name it, and what it was made for.
// Invariant: package.json, wrangler.toml and migrations/ are the sources; a test compares the two that are written here.
import manifest from "../../package.json" with { type: "json" }

export const PERCH_VERSION = manifest.version

/** `compatibility_date` of wrangler.toml, which no Worker can read at run time. */
export const COMPATIBILITY_DATE = "2026-10-01"

/** The last file of migrations/ without its ending: what the D1 database must have at least. */
export const LAST_MIGRATION = "0014_session_totals"
