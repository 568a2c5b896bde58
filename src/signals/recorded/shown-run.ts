// Receives the recording of a run and adapters; passes the recorded signals to them and returns the run's last state.
// Invariant: no code of the workflow runs, so changes of the workflow are not detected: only a replay with it detects them.
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Recording } from "../../recording/recording.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { AdapterService } from "../adapter.ts"
import { adapterHub } from "../adapter-hub.ts"
import type { RunResult } from "../create-workflow.ts"
import { WorkflowError } from "../errors.ts"

/** The name of the checkpoint with the last state of a run. */
export const LAST_STATE = "workflow:end"

export const shownRun = Effect.fnUntraced(function* (
  { metadata: { id }, signals, checkpoints }: Recording,
  adapters: ReadonlyArray<AdapterService["Service"]>,
): Effect.fn.Return<RunResult<Schema.Json>, WorkflowError> {
  yield* Effect.scoped(
    Effect.gen(function* () {
      const hub = yield* adapterHub(adapters)
      for (const signal of signals) hub.send(signal)
      yield* hub.close
    }),
  )
  const end = signals.at(-1)?.payload
  const error = isPlainObject(end) ? end["error"] : undefined
  if (isPlainObject(error)) {
    return yield* new WorkflowError({ message: `The recorded run failed: ${error["type"]}: ${error["message"]}` })
  }
  const state = checkpoints.find(({ name }) => name === LAST_STATE)?.state
  if (state === undefined) {
    const message = `The recording ${id} does not contain the state. Pass its workflow, whose handlers compute it.`
    return yield* new WorkflowError({ message })
  }
  return { state, signals }
})
