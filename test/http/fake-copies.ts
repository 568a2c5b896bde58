// A fake session's answers to requests that need a real log: it has none to copy, and no conversation to revert.
import type { SessionRpc } from "../../src/schemas/rpc/session-rpc.ts"

const missing = {
  ok: false,
  error: { type: "not_found_error", message: "There is no session with this id" },
} as const

const nothing = async () => missing

export const fakeCopies = {
  exportStart: nothing,
  exportLog: nothing,
  exportFiles: nothing,
  exportBlobs: nothing,
  backupPage: nothing,
  recordedPage: nothing,
  restorePage: nothing,
} satisfies Partial<SessionRpc>

export const fakeReverts = { revert: nothing, unrevert: nothing } satisfies Partial<SessionRpc>
