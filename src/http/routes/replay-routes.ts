// The routes that replay a recording in a new session, and compare the replay with the recording.
// Invariant: a replay sends no request to a model or to anything outside; its report names the first difference.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ReplayReport } from "../../schemas/api/recordings.ts"

import { contract } from "../contract/contract.ts"
import type { ApiError } from "../errors/errors.ts"
import { type App, type Caller, handle, json } from "../handle.ts"

import { createdId, hashOf, idempotencyKey, REPLAYED } from "../idempotency/request-name.ts"
import { prefersAsync } from "../prefer.ts"
import { callRecording, recordingOf } from "../sessions/recording-call.ts"
import { replayRun } from "../sessions/replay-run.ts"
import { canQueue, replaySession } from "../sessions/replay-session.ts"
import { callSession, isFound } from "../sessions/session-call.ts"

const WAIT_MS = 10 * 60 * 1000

export const replayRoutes = (app: App): void => {
  handle(
    app,
    contract.replayRecording,
    Effect.fnUntraced(function* ({ params }, caller) {
      const { recording_id: recording } = params
      const key = yield* idempotencyKey(caller)
      const plan = yield* callRecording(caller, recording, (object) => object.replayPlan())
      if (plan.kind === "workflow") {
        return json(200, yield* replayRun(recording, plan.workflow, () => recordingOf(caller, recording)))
      }
      const now = yield* Clock.currentTimeMillis
      const session = yield* createdId(caller, key, "replay", recording)
      const again = key !== null && (yield* exists(caller, session))
      const isAsync = prefersAsync(caller.request) && canQueue(plan)
      const hash = yield* hashOf("replay", { recording })
      const ended = yield* replaySession(caller, plan, {
        recording,
        session,
        hash,
        waits: !isAsync,
        until: now + WAIT_MS,
        now: Clock.currentTimeMillis,
      })
      const headers = {
        location: `/v1/recordings/${recording}/replays/${session}`,
        "perch-session-id": session,
        ...(isAsync ? { "preference-applied": "respond-async" } : {}),
        ...(again ? REPLAYED : {}),
      }
      return ended
        ? json(200, yield* reportOf(caller, recording, session, true), headers)
        : json(202, yield* reportOf(caller, recording, session, false), headers)
    }),
  )

  handle(
    app,
    contract.getReplay,
    Effect.fnUntraced(function* ({ params }, caller) {
      const { state } = yield* callSession(caller.session, params.session_id, (stub) => stub.info())
      return json(200, yield* reportOf(caller, params.recording_id, params.session_id, state === "idle"))
    }),
  )
}

const exists = (caller: Caller, session: string): Effect.Effect<boolean, ApiError> =>
  isFound(callSession(caller.session, session, (stub) => stub.info()))

const reportOf = Effect.fnUntraced(function* (
  caller: Caller,
  recording: string,
  session: string,
  ended: boolean,
): Effect.fn.Return<ReplayReport, ApiError> {
  const base = { recording_id: recording, session_id: session }
  if (!ended) {
    const { signals } = yield* callRecording(caller, recording, (object) => object.info())
    return { ...base, status: "running", equal: null, events: signals, difference: null, not_found: null }
  }
  const { events, difference, not_found } = yield* callRecording(caller, recording, (object) =>
    object.compare({ session_id: session }),
  )
  return { ...base, status: "ended", equal: difference === null, events, difference, not_found }
})
