// Receives a turn; returns how many tokens of the model's window its conversation takes, and at how many it is compacted
// automatically. Invariant: the count is the API's own for everything up to the last answer, an estimate for the rest.
import { estimateMessages, estimateTokens } from "../../model/catalogue/estimate.ts"
import { maxOutputOf } from "../../model/catalogue/models.ts"
import { windowOf } from "../../model/catalogue/window.ts"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import type { Turn } from "../ports.ts"
import type { TurnMemory } from "../transcript/conversation.ts"
import { usageTotal } from "../../schemas/sdk/messages/usage.ts"

/** The most tokens that are reserved for the summary, as in the official SDK. */
const MAX_OUTPUT = 20_000
/** Tokens that are reserved in addition. */
const SPARE = 13_000
/** As in the official SDK: with fewer spare tokens than this, a conversation of a single exchange is compacted, too. */
const LEAST_SPARE = 3_000

type WindowOptions = Pick<SessionOptions, "settings" | "betas">

/** Tokens at which the conversation is compacted before the next request; null when it never is. */
export const compactionThreshold = (options: WindowOptions, model: string): number | null => {
  if (options.settings?.autoCompactEnabled === false) return null
  return usableWindow(options, model) - reserved(model)
}

/** True when a request with the whole conversation may not fit into the model's window, whatever the settings are. */
export const exceedsWindow = ({ options, memory }: Pick<Turn, "options" | "memory">, model: string): boolean =>
  tokensInUse(memory) >= windowOf(options, model) - reserved(model)

/** True when a summary may no longer fit into the model's window; settings that limit the conversation do not count. */
export const leavesNoRoom = ({ options, memory }: Pick<Turn, "options" | "memory">, model: string): boolean =>
  tokensInUse(memory) >= windowOf(options, model) - reserved(model) + SPARE - LEAST_SPARE

const reserved = (model: string): number => Math.min(maxOutputOf(model), MAX_OUTPUT) + SPARE

/** Tokens that the conversation may fill: the model's window, or the smaller `autoCompactWindow` of the settings. */
export const usableWindow = (options: WindowOptions, model: string): number => {
  const { autoCompactEnabled, autoCompactWindow } = options.settings ?? {}
  const window = windowOf(options, model)
  return autoCompactEnabled === false ? window : Math.min(window, autoCompactWindow ?? window)
}

/** Tokens that the next request will have. */
export const tokensInUse = ({ transcript, accounting }: Pick<TurnMemory, "transcript" | "accounting">): number => {
  if (accounting.lastUsage === null) return estimateMessages(transcript.messages())
  // The next request starts with everything that the API read and wrote for the last answer.
  const counted = usageTotal(accounting.lastUsage)
  const last = transcript.last()
  return last?.role === "user" ? counted + estimateTokens(last.content) : counted
}
