// A session's description by its object when the log has `last_seq` events.
import type { SessionInfo } from "../../src/schemas/rpc/session.ts"
import { SESSION } from "../support/session/turn-log.ts"

export const TENANT = "acme"

export const sessionInfo = (lastSeq: number, fields: Partial<SessionInfo> = {}): SessionInfo => ({
  id: SESSION,
  type: "session",
  title: null,
  cwd: "/workspace",
  state: "idle",
  model: "claude-opus-5-5",
  permissionMode: "default",
  options: {},
  metadata: {},
  created_at: "2026-11-21T12:00:00.000Z",
  updated_at: "2026-11-21T12:00:01.000Z",
  turns: 1,
  total_cost_usd: 0.25,
  last_seq: lastSeq,
  ...fields,
})
