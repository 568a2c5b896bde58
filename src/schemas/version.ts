// The version of this Perch, as `/openapi.json`, `system/init` and both sides of MCP name it.
// Invariant: package.json is its one source.
import manifest from "../../package.json" with { type: "json" }

export const PERCH_VERSION = manifest.version
