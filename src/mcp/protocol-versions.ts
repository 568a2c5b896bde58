// The versions of MCP that Perch supports as a client, newest first. They are copied from the MCP SDK, whose module would
// otherwise be evaluated at every start; a test compares the two.

export const LATEST_PROTOCOL_VERSION = "2025-11-25"
export const SUPPORTED_PROTOCOL_VERSIONS: ReadonlyArray<string> = [
  LATEST_PROTOCOL_VERSION,
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
]
