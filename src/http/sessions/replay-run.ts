// Receives the recording of a workflow's run; runs the workflow again in memory with the recorded answers of its agents.
// Invariant: no request is sent and nothing is stored; the first signal that differs from the recorded one ends the replay.
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { RecordingNotFound } from "../../recording/recording-not-found.ts"
import type { ReplayReport } from "../../schemas/api/recordings.ts"
import type { RecordingEvents, RecordingStub } from "../../schemas/rpc/recording-rpc.ts"
import { Signal } from "../../schemas/signal.ts"
import { replayedRun } from "../../signals/recorded/replayed-run.ts"
import type { AllErrors } from "../../signals/errors.ts"
import { registeredWorkflow } from "../../signals/workflows/registered.ts"
import { encodeState } from "../../signals/state.ts"
import { ApiError } from "../errors/errors.ts"
import { callObject } from "../object-call.ts"

/** The most characters of signals, all of which are in memory at once. */
const MAX_CHARACTERS = 24 * 1024 * 1024

const decodeSignal = Schema.decodeUnknownSync(Schema.fromJsonString(Signal))

export const replayRun = Effect.fnUntraced(function* (
  recording: string,
  name: string | undefined,
  object: () => RecordingStub,
): Effect.fn.Return<ReplayReport, ApiError> {
  const workflow = name === undefined ? undefined : registeredWorkflow(name)
  if (workflow === undefined) {
    const message =
      name === undefined
        ? "The recording does not name its workflow in metadata.source.workflow."
        : `This server has no workflow ${name}. Replay the recording with replay() of perch/signals.`
    return yield* new ApiError({ type: "conflict_error", message })
  }
  const signals = yield* signalsOf(object)
  const now = new Date(0).toISOString()
  const metadata = {
    id: recording,
    kind: "workflow",
    name: workflow.name,
    tags: [],
    createdAt: now,
    signalCount: signals.length,
    finalized: true,
    durationMs: 0,
    version: 1,
  } as const
  const whole = { metadata, signals, checkpoints: [], answers: [], chunks: {} }
  const base = { recording_id: recording, session_id: null, status: "ended", events: signals.length } as const
  const different = (failure: AllErrors): ReplayReport => {
    const text = "difference" in failure ? `${failure.message}\n${failure.difference}` : failure.message
    const difference = { part: "run", index: null, recorded: null, got: null, text }
    return { ...base, equal: false, difference, not_found: failure._tag === "RecordingNotFound" ? text : null }
  }
  const played = yield* Effect.result(replayedRun(workflow, whole))
  if (played._tag === "Failure") return different(played.failure)
  const { ended, ...replayed } = played.success
  // Any other error is the one with which the recorded run failed: its last signal reports it, and was compared.
  const failure = Exit.isFailure(ended) ? Cause.squash(ended.cause) : null
  if (failure instanceof RecordingNotFound) return different(failure)
  const isWhole = replayed.signals.length === signals.length
  const state = yield* Effect.orDie(encodeState(workflow, replayed.state))
  return {
    ...base,
    equal: isWhole,
    state,
    difference: isWhole ? null : shorter(signals, replayed.signals),
    not_found: null,
  }
})

const shorter = (recorded: ReadonlyArray<Signal>, got: ReadonlyArray<Signal>): ReplayReport["difference"] => ({
  part: "run",
  index: got.length,
  recorded: recorded[got.length]?.name ?? null,
  got: null,
  text: `${recorded.length} signals were recorded, and the replay has ${got.length}.`,
})

const signalsOf = Effect.fnUntraced(function* (object: () => RecordingStub) {
  const signals: Array<Signal> = []
  let room = MAX_CHARACTERS
  for (let after = 0, more = true; more;) {
    const page: RecordingEvents = yield* callObject("recording", () => object().events({ after, limit: 1000 }))
    for (const { json } of page.signals) {
      room -= json.length
      signals.push(decodeSignal(json))
    }
    if (room < 0) {
      const message = "The recording is too large to be replayed by the server: more than 24 MiB of signals."
      return yield* new ApiError({ type: "conflict_error", message })
    }
    after = page.next_after
    more = page.has_more
  }
  return signals
})
