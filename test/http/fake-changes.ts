// A fake session's changes: receives its info and a change as the RPC method `patch` does; returns the info after it.
import { changedOptions } from "../../src/schemas/rpc/option-changes.ts"
import type { SessionInfo } from "../../src/schemas/rpc/session.ts"
import type { SessionRpc } from "../../src/schemas/rpc/session-rpc.ts"

type Change = Parameters<SessionRpc["patch"]>[0]

export const changedInfo = (info: SessionInfo, { options, mode: _mode, model, ...change }: Change): SessionInfo => {
  const named = typeof model === "string" ? { model } : {}
  return { ...info, ...change, options: changedOptions(info.options, { ...options, ...named }) }
}
