// Receives a workflow and a recording of its run; runs the workflow again with the recorded answers instead of models.
// Invariant: a replay makes no request, and emits the recorded signals, including ids and times; the first signal that differs
// ends it with RecordingNotFound, which shows the difference.
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Ref from "effect/Ref"
import { differenceText, firstDifference } from "../../recording/missing/difference.ts"
import { memoryReader } from "../../recording/memory-reader.ts"
import { RecordingNotFound } from "../../recording/recording-not-found.ts"
import type { Recording } from "../../recording/recording.ts"
import { isObserved, type Signal } from "../../schemas/signal.ts"
import type { AdapterService } from "../adapter.ts"
import type { RunResult } from "../create-workflow.ts"
import { type AllErrors, WorkflowError } from "../errors.ts"
import type { Entering, Stamp } from "../run.ts"
import { createRuntime } from "../runtime.ts"
import type { Workflow } from "../workflow.ts"
import { answersOf, isCancelled, recordedAgents } from "./agent-recording.ts"

export interface ReplayedRun<S> extends RunResult<S> {
  /** The outcome of the replay: the state, or an error, which may be that of the recorded run. */
  readonly ended: Exit.Exit<S, AllErrors>
}

/** Replays a recording to its end. An error is part of the result. */
export const replayedRun = Effect.fnUntraced(function* <S, R>(
  workflow: Workflow<S, R>,
  recording: Recording,
  adapters: ReadonlyArray<AdapterService["Service"]> = [],
): Effect.fn.Return<ReplayedRun<S>, AllErrors, R> {
  const { id, kind } = recording.metadata
  if (kind !== "workflow") {
    return yield* new WorkflowError({ message: `${id} is the recording of a session. Replay it over HTTP.` })
  }
  const { signals } = recording
  const runtime = yield* createRuntime(workflow, { input: signals[0]?.payload ?? {} })
  const recorded = recordedSignals(id, signals)
  // If the recording has no answers, they are extracted from the log of the run.
  const answered = recording.answers.length > 0 ? recording : answersOf(workflow, signals)
  const agents = recordedAgents(id, memoryReader(answered))
  const ended = yield* Effect.exit(runtime.runWith({ agents, adapters, ...recorded }))
  return { ended, state: yield* Ref.get(runtime.state), signals: yield* runtime.log }
})

/** The ports of a replay, which take signals from the recording instead of the clock and the inbox. */
const recordedSignals = (id: string, signals: ReadonlyArray<Signal>) => {
  let at = 0
  /** The signals from outside that are next in the recording. */
  const outside = (): ReadonlyArray<Signal> => {
    const end = signals.findIndex((signal, index) => index >= at && !isFromOutside(signal))
    return at === 0 ? [] : signals.slice(at, end < 0 ? signals.length : end)
  }
  const stamp: Stamp = Effect.fnUntraced(function* (one) {
    const before = isFromOutside(one) ? [] : outside()
    at += before.length
    const recorded = signals[at]
    const difference = recorded === undefined ? null : firstDifference(comparable(recorded), comparable(one))
    if (recorded !== undefined && difference === null) {
      at += 1
      return [...before, recorded]
    }
    return yield* new RecordingNotFound({
      recording: id,
      hash: "",
      message:
        recorded === undefined
          ? `The recording ${id} ends after ${signals.length} signals, but the run continues with ${one.name}.`
          : `Signal ${at} of the recording ${id} is ${recorded.name}, but the run emits ${one.name === recorded.name ? "another one" : one.name}.`,
      ...(difference === null ? {} : { difference: differenceText(difference) }),
    })
  })
  // Signals that arrived while others were waiting enter before the next emitted one: there, the recorded run had room for them.
  const arrived = (_room: number, idle: boolean) => Effect.sync(() => (idle ? outside() : []))
  const cancelled = () => isCancelled(signals.find((signal, index) => index >= at && !isFromOutside(signal)))
  return { stamp, arrived, cancelled }
}

const isFromOutside = ({ name, source }: Entering | Signal) => source?.parent === undefined && !isObserved(name)

/** The fields that must be equal. The harness is not one of them: in a replay, the recording answers. */
const comparable = ({ name, payload, source }: Entering | Signal) => ({
  name,
  payload,
  agent: source?.agent ?? null,
  parent: source?.parent ?? null,
})
