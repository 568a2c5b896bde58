// Receives the model that a client wants from now on; lets hooks refuse it, then changes the session.
// Invariant: clients hear of the change as the official SDK tells it, and the next request uses the new model.
import { sdkEvent } from "../../agent/messages/sdk-messages.ts"
import { modelOf } from "../../agent/step-request.ts"
import { estimateTokens } from "../../model/catalogue/estimate.ts"
import type { Actor } from "../../schemas/access.ts"
import { resolveModel } from "../../model/catalogue/models.ts"
import { ControlError, permitted } from "./control-requests.ts"
import { fireOutsideTurn, type FireDeps } from "../hooks/hooks-outside-turn.ts"

export interface SwitchDeps extends FireDeps {
  readonly now: () => number
}

const MAX_NAME = 200

/** `model` null goes back to the default. */
export const switchModel = async (deps: SwitchDeps, model: string | null, by: Actor | undefined): Promise<void> => {
  const { session, newUuid, now } = deps
  if (model !== null && (model === "" || model.length > MAX_NAME)) {
    throw new ControlError(`a model's name has 1 to ${MAX_NAME} characters`)
  }
  const from = modelOf(session.record.options)
  const to = resolveModel(model ?? "default").id
  if (to === from) return permitted(session.setOptions({ model: model ?? undefined }, [], by))
  const facts = {
    from_model: from,
    to_model: to,
    requested_model: model,
    source: "sdk",
    context_tokens: estimateTokens(session.memory.transcript.messages()),
    prompt_cache_warm: false,
    cache_ttl: "5m",
    estimated_cache_write_usd: 0,
    pricing: "catalog",
  }
  const before = await fireOutsideTurn(deps, "PreModelSwitch", facts)
  if (before.outcome.modelSwitch?.behavior === "deny") {
    session.append([before.event])
    throw new ControlError(before.outcome.modelSwitch.reason ?? "a PreModelSwitch hook refused the model")
  }
  const said = sdkEvent(null, "sdk:user", {
    message: { role: "user", content: `<local-command-stdout>Set model to ${to}</local-command-stdout>` },
    parent_tool_use_id: null,
    session_id: session.record.id,
    uuid: newUuid(),
    timestamp: new Date(now()).toISOString(),
    isReplay: true,
  })
  permitted(session.setOptions({ model: model ?? undefined }, [before.event, said], by))
  session.append([(await fireOutsideTurn(deps, "PostModelSwitch", facts)).event])
}
