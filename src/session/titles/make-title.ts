// Receives a text that describes a session; returns a short title for it, from a small model.
// Invariant: the request is logged with its cost like any other and appears in no conversation; a failure returns null.
import * as Effect from "effect/Effect"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import { finishedCall } from "../../agent/ask-model.ts"
import { MessagesApi, type MessagesRequest } from "../../model/messages-api.ts"
import { apiModelOf, resolveModel } from "../../model/catalogue/models.ts"
import { EventNames, type NewEvent } from "../../schemas/log/events.ts"
import { titleIn } from "./answered-title.ts"

export interface TitleDeps {
  readonly sessionId: string
  readonly runtime: ManagedRuntime.ManagedRuntime<MessagesApi, never>
  /** The session's own model, which is used where the small one does not exist. */
  readonly model: () => string
  readonly append: (events: ReadonlyArray<NewEvent>) => void
  readonly now: () => number
}

/** The small and fast model, by its alias. */
const SMALL_MODEL = "haiku"
const MAX_TOKENS = 100
const WITHIN_MS = 30_000
const MAX_DESCRIPTION = 8_000

const SYSTEM =
  "You give working sessions a title by which people find them again in a list. Answer with the title alone: two to five words that name the subject, in the language of the session, without quotation marks or a full stop."

/** In place of a tool call's id in the events of this request. */
const OUTSIDE = "session_title"

/** Null when the model returned no title. */
export const makeTitle = async (deps: TitleDeps, description: string): Promise<string | null> => {
  const own = resolveModel(deps.model()).id
  const small = resolveModel(SMALL_MODEL).id
  const first = await ask(deps, small, description)
  if (first !== "unknown_model") return first
  const second = small === own ? null : await ask(deps, own, description)
  return second === "unknown_model" ? null : second
}

const ask = async (deps: TitleDeps, model: string, description: string): Promise<string | null> => {
  const startedAt = deps.now()
  const context = { sessionId: deps.sessionId, betas: [] }
  const asked = Effect.flatMap(MessagesApi, (api) => api.complete(requestOf(deps, model, description), context)).pipe(
    Effect.timeoutOption(WITHIN_MS),
    Effect.result,
  )
  const answer = await deps.runtime.runPromise(asked)
  if (answer._tag === "Failure") return answer.failure.status === 404 ? "unknown_model" : null
  if (answer.success._tag === "None") return null
  const completed = answer.success.value
  const payload = finishedCall(model, completed.message, completed.requestId, deps.now() - startedAt)
  deps.append([{ name: EventNames.callFinished, payload, turn: null, parent_tool_use_id: OUTSIDE }])
  return titleIn(completed.message["content"])
}

const requestOf = (deps: TitleDeps, model: string, description: string): MessagesRequest => ({
  model: apiModelOf(model),
  max_tokens: MAX_TOKENS,
  system: [{ type: "text", text: SYSTEM }],
  messages: [
    {
      role: "user",
      content: [{ type: "text", text: `<session>\n${description.slice(0, MAX_DESCRIPTION)}\n</session>` }],
    },
  ],
  // A model that is not listed gets no field that it may not support.
  ...(resolveModel(model).listed === null ? {} : { thinking: { type: "disabled" } }),
  metadata: { user_id: `perch_session_${deps.sessionId}` },
})
