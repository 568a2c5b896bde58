// Calls the hooks of an event that happens beside any turn, and returns what they said with the event to log.
import { Effect } from "effect"
import type { Hooks } from "../../agent/ports.ts"
import { hookFired, type HookEventName } from "../../hooks/inputs.ts"
import { encodeOutcome, type HookOutcome, NO_HOOKS } from "../../hooks/outcome.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import type { Session } from "../session.ts"

export interface FireDeps {
  readonly session: Session
  readonly hooks: Hooks["Service"]
  readonly newUuid: () => string
}

export const fireOutsideTurn = async (
  { session, hooks, newUuid }: FireDeps,
  name: HookEventName,
  facts: Readonly<Record<string, unknown>>,
): Promise<{ readonly event: NewEvent<"hook:fired">; readonly outcome: HookOutcome }> => {
  const { id } = session.record
  const { cwd } = session
  const event = hookFired({ sessionId: id, cwd, turn: null }, newUuid(), name, facts)
  if (!hooks.listens(name)) return { event, outcome: NO_HOOKS }
  const { payload } = event
  const outcome = await Effect.runPromise(hooks.run(name, payload.input))
  return { event: { ...event, payload: { ...payload, outcome: encodeOutcome(outcome) } }, outcome }
}
