// An ask as the console gets it from the server.
import type { Ask } from "../../../src/client/api/session-shapes.ts"

/** A permission for a command, with these fields changed. */
export const ask = (fields: Partial<Ask> = {}): Ask => ({
  request_id: "r1",
  kind: "permission",
  turn_id: "t1",
  tool_name: "Bash",
  tool_use_id: "r1",
  input: { command: "npm test" },
  created_at: "2026-01-31T12:00:00.000Z",
  expires_at: "2026-01-31T13:00:00.000Z",
  ...fields,
})
