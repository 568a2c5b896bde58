// Receives something that a client did to a recorded session between its turns; does it to the session that replays it.
// Invariant: a request for the replay that is sent again does nothing twice. What this session refuses shows in its log, as a
// difference.
import * as Effect from "effect/Effect"
import { MESSAGES, type RepeatedMove } from "../../recording/recorded-messages.ts"
import type { Actor } from "../../schemas/access.ts"
import type { LogEvent } from "../../schemas/log/events.ts"
import type { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import type { ChangeStep } from "./recorded-steps.ts"
import { callOnce, callSession } from "./session-call.ts"
import { sessionPage } from "./session-page.ts"

export const repeatChange = (
  caller: Caller,
  session: string,
  step: ChangeStep,
  actor: Actor,
): Effect.Effect<void, ApiError> => {
  if (step.kind === "changed") return change(caller, session, step, actor)
  if (step.kind === "written")
    return Effect.asVoid(callSession(caller.session, session, (stub) => stub.putProgress(step.text, actor)))
  return Effect.flatMap(eventsOf(caller, session, { name: step.name }), ({ length }) =>
    length > step.nth ? Effect.void : refusable(repeatOnce(caller, session, step, actor)),
  )
}

const change = Effect.fnUntraced(function* (
  { session: sessions }: Caller,
  session: string,
  { changed: read, name }: Extract<ChangeStep, { readonly kind: "changed" }>,
  actor: Actor,
) {
  const { options: given, permissionMode: mode, ...changed } = read
  const { runtime: _, ...options } = given ?? {}
  const whole =
    name === "model:switched"
      ? { model: options.model ?? null }
      : {
          ...changed,
          ...(given === undefined ? {} : { options }),
          ...(mode === undefined ? {} : { mode }),
        }
  yield* callSession(sessions, session, (stub) => stub.patch(whole, actor))
})

const repeatOnce = Effect.fnUntraced(function* (
  caller: Caller,
  session: string,
  step: Extract<ChangeStep, { readonly kind: "called" | "moved" }>,
  actor: Actor,
): Effect.fn.Return<void, ApiError> {
  if (step.kind === "called") {
    const { tool_name: name, input } = step.called
    yield* callOnce(caller.session, session, (stub) => stub.callTool(name, input, actor))
    return
  }
  const { restored, files, cut } = step.moved
  if (restored === true) {
    yield* callOnce(caller.session, session, (stub) => stub.unrevert({ files: files ? "restore" : "keep", actor }))
    return
  }
  const messageID = cut === undefined ? undefined : yield* messageAt(caller, session, cut)
  if (messageID === undefined) return
  yield* callOnce(caller.session, session, (stub) => stub.revert({ messageID, rewindFiles: files, actor }))
})

const REFUSALS: ReadonlySet<string> = new Set(["conflict_error", "invalid_request_error", "not_found_error"])

const refusable = (work: Effect.Effect<void, ApiError>): Effect.Effect<void, ApiError> =>
  Effect.catch(work, (error) => (REFUSALS.has(error.type) ? Effect.void : Effect.fail(error)))

/** The uuid of the prompt or message in this session that the recorded cut was made before. */
const messageAt = Effect.fnUntraced(function* (
  caller: Caller,
  session: string,
  { prompt, message }: NonNullable<RepeatedMove["cut"]>,
): Effect.fn.Return<string | undefined, ApiError> {
  const turn = (yield* eventsOf(caller, session, { name: "turn:queued" }))[prompt]?.uuid
  if (turn === undefined || message === null) return turn
  const messages = yield* eventsOf(caller, session, { pattern: "sdk:*" })
  const own = messages.filter(
    (event) => MESSAGES.includes(event.name) && event.turn === turn && event.parent_tool_use_id === null,
  )
  return own[message]?.uuid
})

interface Page {
  readonly events: ReadonlyArray<LogEvent>
  readonly has_more: boolean
  readonly next_after: number
}

/** Every event of the session with this name, or with a signal's name that fits the pattern. */
const eventsOf = Effect.fnUntraced(function* (
  caller: Caller,
  session: string,
  of: { readonly name: string } | { readonly pattern: string },
): Effect.fn.Return<ReadonlyArray<LogEvent>, ApiError> {
  const events: Array<LogEvent> = []
  for (let after = 0, more = true; more;) {
    const response = yield* sessionPage(caller, session, "events", { after, limit: 1000, order: "asc", ...of })
    // The object's own page of its log.
    const page = yield* Effect.promise(() => response.json() as Promise<Page>)
    events.push(...page.events)
    more = page.has_more
    after = page.next_after
  }
  return events
})
