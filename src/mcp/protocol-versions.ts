// The versions of MCP that Perch speaks as a client, newest first: those of the MCP SDK, whose module of types would be
// evaluated at every start for them. A test compares the two.

export const LATEST_PROTOCOL_VERSION = "2025-11-25"
export const SUPPORTED_PROTOCOL_VERSIONS: ReadonlyArray<string> = [
  LATEST_PROTOCOL_VERSION,
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
  "2024-10-07",
]
