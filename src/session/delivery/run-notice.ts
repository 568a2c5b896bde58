// Receives events of a session that an agent of a workflow's run works in; notifies the run when one of them changes its
// turn.
// Invariant: nothing is written here and nothing waits for the call: when it is lost, the run looks at the session again by
// itself.
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import type { SessionCore } from "../core.ts"
import type { StoredEvent } from "../storage/log.ts"

const CHANGES: ReadonlySet<string> = new Set([EventNames.askOpened, EventNames.askSettled, EventNames.turnCancelled])

const changesTurn = (event: LogEvent): boolean => CHANGES.has(event.name) || isTurnResult(event)

/** Call it after the commit of the events. */
export const notifyRun = (
  { id, context }: Pick<SessionCore, "id" | "context">,
  run: string,
  stored: ReadonlyArray<StoredEvent>,
): void => {
  if (!stored.some(({ event }) => changesTurn(event))) return
  const { env, tenant, keepAlive } = context
  const called = env.WORKFLOWS.getByName(`${tenant}/${run}`).sessionChanged(id)
  keepAlive(called.then(noop, noop))
}

const noop = (): void => undefined
