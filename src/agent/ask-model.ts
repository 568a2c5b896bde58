// Receives a question that a running tool has for a model; asks the Messages API and returns the answer.
// Invariant: an answer appends one `call:finished` with the tool call's id, so its cost is counted, and the conversation
// does not contain it.
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { MessagesApi, MessagesRequest, ModelError } from "../model/messages-api.ts"
import { apiModelOf, billedModel, maxOutputOf, PRICE_VERSION, resolveModel } from "../model/catalogue/models.ts"
import { costOf } from "../model/catalogue/prices.ts"
import { apiErrorText, classify, retryDelayMs } from "../model/retry.ts"
import { MAX_TIMEOUT_RETRIES, timeoutsOf } from "../model/live/model-timeouts.ts"
import type { CallFinished } from "../schemas/log/event-payloads.ts"
import { EventNames } from "../schemas/log/events.ts"
import type { ModelQuestion, ModelReply } from "../tools/context-parts.ts"
import { type ToolContext, ToolError } from "../tools/tool.ts"
import { currentModelOf } from "./fallback.ts"
import { stopReasonIn, usageIn } from "./messages/answer-fields.ts"
import type { Log, Turn } from "./ports.ts"
import type { ToolUse } from "./transcript/transcript.ts"

/** The small and fast model, by its alias. */
const SMALL_MODEL = "haiku"
const MAX_TRIES = 3

export const askModel =
  (api: MessagesApi["Service"], log: Log["Service"], turn: Turn, use: ToolUse): ToolContext["ask"] =>
  (question) =>
    Effect.gen(function* () {
      const own = resolveModel(currentModelOf(turn)).id
      const first = question.model === "small" ? resolveModel(SMALL_MODEL).id : own
      let model = first
      const timeouts = timeoutsOf(turn.options, turn.now())
      let timedOut = 0
      for (let attempt = 1; ; attempt += 1) {
        const startedAt = turn.now()
        const answer = yield* Effect.result(
          api.complete(requestOf(question, model, turn.sessionId), { sessionId: turn.sessionId, betas: [], timeouts }),
        )
        if (answer._tag === "Success") {
          const { message, requestId } = answer.success
          const payload = finishedCall(model, message, requestId, turn.now() - startedAt)
          yield* log.append([{ name: EventNames.callFinished, payload, turn: turn.id, parent_tool_use_id: use.id }])
          // The API's message: its content is a list of blocks.
          return { content: message["content"] as ModelReply["content"], usage: payload.usage }
        }
        const error = answer.failure
        // Not every server has the small model: ask the turn's own model instead.
        if (error.status === 404 && model !== own) model = own
        else {
          const delay = retryDelayMs(attempt, error, yield* Random.next)
          if (error.timedOut !== undefined) timedOut += 1
          const inVain = timedOut > MAX_TIMEOUT_RETRIES || turn.now() + delay >= timeouts.until
          if (classify(error) === "fatal" || attempt >= MAX_TRIES || inVain) return yield* unanswered(error)
          yield* Effect.sleep(delay)
        }
      }
    })

const unanswered = (error: ModelError): ToolError =>
  new ToolError({
    reason: "command_failed",
    message: `The model that this tool uses returned no answer. ${apiErrorText(error)}`,
  })

const requestOf = (question: ModelQuestion, model: string, sessionId: string): MessagesRequest => ({
  model: apiModelOf(model),
  max_tokens: Math.min(question.maxTokens, maxOutputOf(model)),
  system: [{ type: "text", text: question.system }],
  messages: [{ role: "user", content: [{ type: "text", text: question.text }] }],
  ...(question.tools === undefined ? {} : { tools: question.tools }),
  ...(question.toolChoice === undefined ? {} : { tool_choice: question.toolChoice }),
  // An unlisted model may not accept `thinking`.
  ...(resolveModel(model).listed === null ? {} : { thinking: { type: "disabled" } }),
  metadata: { user_id: `perch_session_${sessionId}` },
})

/** The event of a request that was answered outside the turn's own steps. `asked` is the model in the request. */
export const finishedCall = (
  asked: string,
  message: Readonly<Record<string, unknown>>,
  requestId: string | null,
  durationMs: number,
): CallFinished => {
  const model = billedModel(asked, message["model"])
  const usage = usageIn(message)
  return {
    message_id: String(message["id"] ?? ""),
    request_id: requestId,
    model,
    stop_reason: stopReasonIn(message),
    usage,
    usd: costOf(model, usage),
    price_version: PRICE_VERSION,
    duration_ms: durationMs,
    wasted: false,
  }
}
