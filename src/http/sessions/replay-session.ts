// Receives the requests of a recorded session's clients; creates a session and repeats them there, prompt by prompt.
// Invariant: the same replay sent again uses the same session and turns; the session sends no request to anything outside.
import * as Effect from "effect/Effect"
import { uuidV8 } from "../../schemas/ids.ts"
import type { Actor } from "../../schemas/access.ts"
import type { ReplayPlan } from "../../schemas/rpc/recording-rpc.ts"
import type { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { hashOf } from "../idempotency/request-name.ts"
import { type ChangeStep, type QueuedStep, readSteps } from "./recorded-steps.ts"
import { repeatChange } from "./repeated-change.ts"
import { ReplayedLog } from "./replayed-log.ts"
import { callSession, isFound } from "./session-call.ts"

export interface Replay {
  readonly recording: string
  readonly session: string
  /** A hash of the request. */
  readonly hash: string
  /** Whether to wait for each turn, so that changes between turns are repeated at the same place. */
  readonly waits: boolean
  /** The time, in milliseconds since 1970, after which no turn is waited for. */
  readonly until: number
  readonly now: Effect.Effect<number>
}

/** Runs the replay; returns true when it waited and every turn has ended. */
export const replaySession = Effect.fnUntraced(function* (
  caller: Caller,
  plan: ReplayPlan,
  replay: Replay,
): Effect.fn.Return<boolean, ApiError> {
  const { created, later } = yield* readSteps(plan.steps)
  yield* make(caller, created, replay)
  const log = new ReplayedLog(caller, replay.session)
  let changes: ReadonlyArray<ChangeStep> = []
  let prompts = 0
  for (const step of later) {
    if (step.kind !== "queued") {
      changes = [...changes, step]
      continue
    }
    prompts += 1
    const turn = yield* Effect.promise(() => uuidV8("turn", caller.tenant, replay.session, String(prompts)))
    if (step.results >= prompts) yield* ownTurns(caller, plan, replay, step.results)
    // When the request is sent again, changes before a turn that exists already are not repeated.
    if (changes.length > 0 && !(yield* isThere(caller, replay, turn)))
      yield* repeatChanges(caller, plan, replay, { log, changes })
    changes = []
    const ended = yield* run(caller, step, replay, turn)
    if (replay.waits && !ended) return false
  }
  yield* repeatChanges(caller, plan, replay, { log, changes })
  if (plan.results > prompts) yield* ownTurns(caller, plan, replay, plan.results)
  return replay.waits
})

/** How much longer than the recorded session took a turn that Perch starts itself is waited for: it may never start. */
const MORE_MS = 5_000
/** The pause between two polls, at first; it doubles up to MAX_PAUSE_MS. */
const PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000

/** Waits until `results` turns have ended: Perch starts turns of its own when background work ends. */
const ownTurns = Effect.fnUntraced(function* (
  { session }: Caller,
  { durationMs }: ReplayPlan,
  replay: Replay,
  results: number,
) {
  if (!replay.waits) return
  const until = Math.min(replay.until, (yield* replay.now) + durationMs + MORE_MS)
  for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    const { turns, state } = yield* callSession(session, replay.session, (stub) => stub.info())
    if ((turns >= results && state === "idle") || (yield* replay.now) > until) return
    yield* Effect.sleep(pause)
  }
})

const repeatChanges = Effect.fnUntraced(function* (
  caller: Caller,
  plan: ReplayPlan,
  replay: Replay,
  { log, changes }: { readonly log: ReplayedLog; readonly changes: ReadonlyArray<ChangeStep> },
) {
  for (const step of changes) {
    // Both need an idle session.
    if (step.kind === "moved" || step.kind === "called") yield* ownTurns(caller, plan, replay, step.results)
    yield* repeatChange(caller, log, step, actorWith(caller))
  }
})

const isThere = ({ session }: Caller, replay: Replay, turn: string): Effect.Effect<boolean, ApiError> =>
  isFound(callSession(session, replay.session, (stub) => stub.turn(turn, 0, "end")))

/** Whether all prompts can be sent at once: no change, and no turn that Perch started itself, is between them. */
export const canQueue = ({ steps, results }: ReplayPlan): boolean => {
  const first = steps.findIndex(({ name }) => name === "turn:queued")
  const prompts = steps.slice(Math.max(first, 0))
  return results <= prompts.length && prompts.every(({ name }) => name === "turn:queued")
}

type Created = Effect.Success<ReturnType<typeof readSteps>>["created"]

const make = Effect.fnUntraced(function* (caller: Caller, created: Created, replay: Replay) {
  const { cwd, title = null, metadata = {}, options = {} } = created
  const runtime = { mode: "playback", recording: replay.recording } as const
  const session = { cwd, title, metadata, options: { ...options, runtime } }
  yield* callSession(caller.session, replay.session, (stub) =>
    stub.create({ session, fingerprint: replay.hash, actor: actorWith(caller) }),
  )
})

/** The caller, with the version of the definitions that the recorded session had, since the tenant may have changed them. */
const actorWith = ({ actor: { definitions: _, ...actor } }: Caller, definitions?: number): Actor =>
  definitions === undefined ? actor : { ...actor, definitions }

/** Submits a prompt; returns true when its turn was waited for and has ended. */
const run = Effect.fnUntraced(function* (caller: Caller, step: QueuedStep, replay: Replay, turn: string) {
  const { prompt, options: recorded = {}, appendSystemPrompt: appended, routing, ...manner } = step.queued
  // A prompt that also created its session has the session's options; a replay has a runtime of its own.
  const { runtime: _, ...options } = recorded
  const args = {
    turn,
    prompt,
    onBusy: "queue",
    options,
    ...(appended === undefined ? {} : { appendSystemPrompt: appended }),
    fingerprint: yield* hashOf("replay", { payload: step.payload, turn }),
    ...(routing === undefined ? {} : { routing }),
    ...(Object.keys(manner).length === 0 ? {} : { manner }),
    actor: actorWith(caller, step.definitions),
  } as const
  yield* callSession(caller.session, replay.session, (stub) => stub.submit(args))
  if (!replay.waits) return false
  const left = replay.until - (yield* replay.now)
  const state = yield* callSession(caller.session, replay.session, (stub) => stub.turn(turn, Math.max(0, left), "end"))
  return state.ended_at !== null || state.status === "cancelled" || state.joined_turn_id !== null
})
