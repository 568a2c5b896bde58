// Receives a text that describes a session; returns a title that the session's budget and the tenant's limits allow.
import { modelOf } from "../../agent/step-request.ts"
import type { SessionCore } from "../core.ts"
import { ControlError } from "../control/control-error.ts"
import type { ControlParts } from "../control/control-parts.ts"
import { makeTitle } from "./make-title.ts"

/** The part of a session from which a title is requested. */
interface TitleSource {
  readonly core: Pick<
    SessionCore,
    "admit" | "append" | "id" | "memory" | "record" | "releaseUnused" | "runningTurn" | "steadyNow"
  >
  readonly runtime: ControlParts["runtime"]
}

/**
 * Null when the budget is used up, or the model returned none. Throws a ControlError when the tenant may not run another
 * turn.
 */
export const sessionTitle = async ({ core, runtime }: TitleSource, description: string): Promise<string | null> => {
  const { session: budget } = core.runningTurn.budgets
  if (budget !== undefined && core.memory.accounting.totalUsd >= budget) return null
  const refused = await core.admit()
  if (refused !== null) throw new ControlError(refused.refused.message, refused.refused.type)
  try {
    return await makeTitle(
      {
        sessionId: core.id,
        runtime,
        model: () => modelOf(core.record.options),
        append: (events) => core.append(events),
        now: core.steadyNow,
      },
      description,
    )
  } finally {
    core.releaseUnused()
  }
}
