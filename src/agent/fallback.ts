// Receives a turn whose model can't answer; returns the next fallback model, and the message for clients.
// Invariant: a turn uses each of its fallback models once, in their order; the next turn starts with the session's own model.
import type { FallbackTrigger } from "../model/retry.ts"
import type { NewEvent } from "../schemas/log/events.ts"
import { stamp } from "./calls/hook-events.ts"
import type { Turn } from "./ports.ts"
import { systemMessage } from "./messages/sdk-messages.ts"
import { fallbackModelsOf, modelOf } from "./step-request.ts"

/** The fallback model after `current` (default: the one that the turn uses now); null when none is left for this turn. */
export const fallbackOf = (
  turn: Turn,
  current: string | null = turn.memory.accounting.tally?.fallbackModel ?? null,
): string | null => {
  const models = fallbackModelsOf(turn.options)
  return models[current === null ? 0 : models.indexOf(current) + 1] ?? null
}

const FALLBACK_REASONS: Readonly<Record<FallbackTrigger, string>> = {
  overloaded: "is overloaded",
  server_error: "failed",
  model_not_found: "was not found",
  last_resort: "refused the request",
}

export const fallbackMessage = (turn: Turn, model: string, trigger: FallbackTrigger): NewEvent => {
  const from = currentModelOf(turn)
  return systemMessage(stamp(turn), "model_fallback", {
    trigger,
    original_model: from,
    fallback_model: model,
    content: `${from} ${FALLBACK_REASONS[trigger]}; ${model} answers for the rest of this turn.`,
  })
}

/** The turn's current model: the session's, or a fallback. */
export const currentModelOf = (turn: Turn): string =>
  turn.memory.accounting.tally?.fallbackModel ?? modelOf(turn.options)
