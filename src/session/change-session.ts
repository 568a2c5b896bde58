// Receives a client's change of a session over the API and makes it; returns the refusal, if any.
// Invariant: a change of mode or model alone is checked as the same change over the control protocol.
import type { Actor } from "../schemas/access.ts"
import type { SessionRpc } from "../schemas/rpc/session-rpc.ts"
import { ControlError } from "./control/control-error.ts"
import { switchModel } from "./control/switch-model.ts"
import type { FireParts } from "./hooks/hooks-outside-turn.ts"
import { type Refusal, refuse } from "./refusal.ts"

export const changeSession = async (
  parts: FireParts,
  { mode, model, ...rest }: Parameters<SessionRpc["patch"]>[0],
  by: Actor | undefined,
): Promise<Refusal | undefined> => {
  const { changes, permissions, record } = parts.core
  if (mode === "bypassPermissions" && record.options.allowDangerouslySkipPermissions !== true) return NO_BYPASS
  const isControl = mode !== undefined || model !== undefined
  const refused =
    (isControl && Object.keys(rest).length === 0 ? undefined : changes.patch(rest, by)) ??
    (mode === undefined ? undefined : permissions.setMode(mode, by))
  if (refused !== undefined || model === undefined) return refused
  try {
    const after = await switchModel(parts, model, by)
    await after()
  } catch (error) {
    if (error instanceof ControlError) return refuse("conflict_error", error.message)
    throw error
  }
  return undefined
}

const NO_BYPASS = refuse(
  "conflict_error",
  "The mode bypassPermissions needs a session that was opened with allowDangerouslySkipPermissions.",
)
