// Receives what a recorded session got from outside; makes a new session and repeats it there, prompt after prompt.
// Invariant: the same replay again (`key`) is the same session with the same turns; a session that plays a recording asks nothing.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SessionStub } from "../../schemas/env.ts"
import { uuidV8 } from "../../schemas/ids.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { ReplayStep } from "../../schemas/rpc/recording-rpc.ts"
import { NewSession } from "../../schemas/rpc/session.ts"
import type { SubmitArgs } from "../../schemas/rpc/turns.ts"
import { ApiError } from "../errors/errors.ts"
import { acting, type Caller } from "../handle.ts"
import { hashOf } from "../idempotency/request-name.ts"
import { callSession } from "./session-call.ts"

export interface Replay {
  readonly recording: string
  readonly session: string
  /** A hash of the request. */
  readonly hash: string
  /** Waits for each turn, and so repeats changes of options where they were made. */
  readonly waits: boolean
  /** Milliseconds since 1970 after which no turn is waited for. */
  readonly until: number
  readonly now: Effect.Effect<number>
}

/** True when every turn has ended. */
export const replaySession = Effect.fnUntraced(function* (
  caller: Caller,
  steps: ReadonlyArray<ReplayStep>,
  replay: Replay,
): Effect.fn.Return<boolean, ApiError> {
  const created = steps.find(({ name }) => name === "session:created")
  if (created === undefined) return yield* unreadable("session:created")
  yield* make(caller, created, replay)
  let prompts = 0
  for (const step of steps) {
    if (step.name === "session:changed" && replay.waits) yield* change(caller, step, replay)
    if (step.name !== "turn:queued") continue
    prompts += 1
    const ended = yield* run(caller, step, replay, prompts)
    if (replay.waits && !ended) return false
  }
  return replay.waits
})

/** Whether all prompts can be sent before the first of them has ended. */
export const canQueue = (steps: ReadonlyArray<ReplayStep>): boolean => {
  const first = steps.findIndex(({ name }) => name === "turn:queued")
  return !steps.slice(first).some(({ name }) => name === "session:changed")
}

const decodeSession = Schema.decodeUnknownEffect(NewSession)

const make = Effect.fnUntraced(function* (caller: Caller, { payload }: ReplayStep, replay: Replay) {
  const fields = isPlainObject(payload) ? payload : {}
  const options = isPlainObject(fields["options"]) ? fields["options"] : {}
  const session = yield* Effect.catch(
    decodeSession({
      cwd: fields["cwd"],
      title: fields["title"],
      metadata: fields["metadata"],
      options: { ...options, runtime: { mode: "playback", recording: replay.recording } },
    }),
    () => unreadable("session:created"),
  )
  yield* callSession(caller.session, replay.session, (stub) =>
    stub.create({ session, fingerprint: replay.hash, ...acting(caller) }),
  )
})

const Change = Schema.Struct({
  title: Schema.optionalKey(Schema.NullOr(Schema.String)),
  metadata: Schema.optionalKey(NewSession.fields.metadata),
  options: Schema.optionalKey(NewSession.fields.options),
})
const decodeChange = Schema.decodeUnknownEffect(Change)

const change = Effect.fnUntraced(function* (caller: Caller, { payload }: ReplayStep, replay: Replay) {
  const changed = yield* Effect.catch(decodeChange(payload), () => unreadable("session:changed"))
  const { runtime: _, ...options } = changed.options ?? {}
  const whole = changed.options === undefined ? changed : { ...changed, options }
  yield* callSession(caller.session, replay.session, (stub) => stub.patch(whole, caller.actor))
})

/** How a prompt came, when a client of the control protocol sent it. */
const MANNERS = ["mayJoin", "acknowledge", "silent", "later", "synthetic"] as const

/** True when the turn was waited for and has ended. */
const run = Effect.fnUntraced(function* (caller: Caller, { payload }: ReplayStep, replay: Replay, count: number) {
  const fields = isPlainObject(payload) ? payload : {}
  const { prompt, options, routing } = fields
  if (typeof prompt !== "string" && !Array.isArray(prompt)) return yield* unreadable("turn:queued")
  const turn = yield* Effect.promise(() => uuidV8("turn", caller.tenant, replay.session, String(count)))
  const manner = Object.fromEntries(MANNERS.flatMap((name) => (fields[name] === true ? [[name, true]] : [])))
  const submission = {
    turn,
    prompt,
    onBusy: "queue",
    options: isPlainObject(options) ? options : {},
    fingerprint: yield* hashOf("replay", { payload, count }),
    ...(routing === undefined ? {} : { routing }),
    ...(Object.keys(manner).length === 0 ? {} : { manner }),
    ...acting(caller),
  }
  // The session that was recorded took this prompt, and the object decodes what it stores.
  const args = submission as unknown as SubmitArgs & Parameters<SessionStub["submit"]>[0]
  yield* callSession(caller.session, replay.session, (stub) => stub.submit(args))
  if (!replay.waits) return false
  const left = replay.until - (yield* replay.now)
  const state = yield* callSession(caller.session, replay.session, (stub) => stub.turn(turn, Math.max(0, left), "end"))
  return state.ended_at !== null || state.status === "cancelled" || state.joined_turn_id !== null
})

const unreadable = (name: string): Effect.Effect<never, ApiError> =>
  Effect.fail(
    new ApiError({
      type: "conflict_error",
      message: `The recording can't be replayed: it has no signal ${name} that this version reads.`,
    }),
  )
