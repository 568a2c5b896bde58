// Receives a change that a client made to a recorded session between its turns; repeats it in the session that replays it.
// Invariant: sending the request for the replay again repeats no change twice. A change that this session refuses appears as a
// difference of its log.
import * as Effect from "effect/Effect"
import type { RepeatedMove } from "../../recording/recorded-messages.ts"
import type { Actor } from "../../schemas/access.ts"
import type { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import type { ChangeStep } from "./recorded-steps.ts"
import type { ReplayedLog } from "./replayed-log.ts"
import { callOnce, callSession } from "./session-call.ts"

export const repeatChange = (
  caller: Caller,
  log: ReplayedLog,
  step: ChangeStep,
  actor: Actor,
): Effect.Effect<void, ApiError> => {
  const { session } = log
  if (step.kind === "changed") return change(caller, session, step, actor)
  if (step.kind === "written")
    return Effect.asVoid(callSession(caller.session, session, (stub) => stub.putProgress(step.text, actor)))
  return Effect.flatMap(log.named(step.name), ({ length }) =>
    length > step.nth ? Effect.void : refusable(repeatOnce(caller, log, step, actor)),
  )
}

const change = Effect.fnUntraced(function* (
  { session: sessions }: Caller,
  session: string,
  { changed: read, removed, name }: Extract<ChangeStep, { readonly kind: "changed" }>,
  actor: Actor,
) {
  const { options: given, permissionMode: mode, ...changed } = read
  const { runtime: _, ...options } = given ?? {}
  const whole =
    name === "model:switched"
      ? { model: options.model ?? null }
      : {
          ...changed,
          ...(given === undefined
            ? {}
            : { options: { ...options, ...Object.fromEntries(removed.map((one) => [one, null])) } }),
          ...(mode === undefined ? {} : { mode }),
        }
  yield* callSession(sessions, session, (stub) => stub.patch(whole, actor))
})

const repeatOnce = Effect.fnUntraced(function* (
  caller: Caller,
  log: ReplayedLog,
  step: Extract<ChangeStep, { readonly kind: "called" | "moved" }>,
  actor: Actor,
): Effect.fn.Return<void, ApiError> {
  const { session } = log
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
  const messageID = cut === undefined ? undefined : yield* messageAt(log, cut)
  if (messageID === undefined) return
  yield* callOnce(caller.session, session, (stub) => stub.revert({ messageID, rewindFiles: files, actor }))
})

const REFUSALS: ReadonlySet<string> = new Set(["conflict_error", "invalid_request_error", "not_found_error"])

const refusable = (work: Effect.Effect<void, ApiError>): Effect.Effect<void, ApiError> =>
  Effect.catch(work, (error) => (REFUSALS.has(error.type) ? Effect.void : Effect.fail(error)))

/** The uuid of this session's prompt or message that corresponds to the one before which the recorded session was cut. */
const messageAt = Effect.fnUntraced(function* (
  log: ReplayedLog,
  { prompt, message }: NonNullable<RepeatedMove["cut"]>,
): Effect.fn.Return<string | undefined, ApiError> {
  const turn = (yield* log.named("turn:queued"))[prompt]?.uuid
  if (turn === undefined || message === null) return turn
  const messages = yield* log.messages()
  return messages.filter((event) => event.turn === turn)[message]?.uuid
})
