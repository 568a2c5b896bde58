// Receives what the hooks of a prompt decided; returns why the prompt is not sent to the model, and the notice for clients.
// Invariant: every prompt that hooks keep from the model causes this notice, whether it starts a turn or would join one.
import type { HookOutcome } from "../../hooks/outcome.ts"
import type { NewEvent } from "../../schemas/log/events.ts"
import { informational } from "../calls/hook-events.ts"
import type { Turn } from "../ports.ts"
import { NO_REASON, type PromptEvent, stoppedText } from "../transcript/stopped-prompt.ts"
import { promptText } from "./prompt-text.ts"

export interface PromptRefusal {
  readonly text: string
  readonly fields: { readonly prompt_submit_outcome: unknown }
}

/** Null for a prompt that is sent to the model. */
export const refusalOf = (
  prompt: Turn["prompt"],
  event: PromptEvent,
  outcome: HookOutcome | null,
): PromptRefusal | null => {
  if (outcome === null) return null
  const { block, stop, suppressOriginalPrompt, failures } = outcome
  if (block !== null && failures.some(({ blocks, kind }) => blocks && kind === "timeout")) {
    const outcome = { kind: "no_verdict", prompt_kept: false, no_verdict_kind: "callback_timed_out" }
    return { text: block.reason, fields: { prompt_submit_outcome: outcome } }
  }
  if (block !== null) {
    const { reason } = block
    const text = suppressOriginalPrompt === true ? reason : `${reason}\n\nOriginal prompt: ${promptText(prompt)}`
    return { text, fields: { prompt_submit_outcome: { kind: "blocked_by_hook", prompt_kept: false, reason } } }
  }
  if (stop === null) return null
  const { reason = NO_REASON } = stop
  const kept = event === "UserPromptSubmit"
  const fields = { prompt_submit_outcome: { kind: "stopped_by_hook", prompt_kept: kept, reason } }
  return { text: stoppedText(event, reason), fields }
}

export const refusalNotice = (turn: Turn, { text, fields }: PromptRefusal): NewEvent =>
  informational(turn, text, { level: "warning", prevent_continuation: true, ...fields })
