// Calls the hooks of an event that happens outside any turn; returns their outcome, and the event to log with it.
import * as Effect from "effect/Effect"
import { hookFired } from "../../hooks/inputs.ts"
import type { FiredHookEvent } from "../../schemas/sdk/status/hook-status.ts"
import { encodeOutcome, type HookOutcome, NO_HOOKS } from "../../hooks/outcome.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { ControlParts } from "../control/control-parts.ts"

/** The part of a session that such an event needs. */
export type FireParts = Pick<ControlParts, "core" | "hooks">

export const fireOutsideTurn = async (
  { core, hooks }: FireParts,
  name: FiredHookEvent,
  facts: Readonly<Record<string, unknown>>,
): Promise<{ readonly event: NewEvent<"hook:fired">; readonly outcome: HookOutcome }> => {
  const { context, cwd, id } = core
  const uuid = context.newUuid()
  const event = hookFired({ sessionId: id, cwd, turn: null }, uuid, name, facts)
  if (!hooks.listens(name)) return { event, outcome: NO_HOOKS }
  const { payload } = event
  // The request to a client's hook gets an id with this uuid. With the id of an event of the running turn, the official SDK would
  // ignore it as a repetition.
  const outcome = await Effect.runPromise(hooks.run(name, payload.input, undefined, uuid))
  return { event: { ...event, payload: { ...payload, outcome: encodeOutcome(outcome) } }, outcome }
}
