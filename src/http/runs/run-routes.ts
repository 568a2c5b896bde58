// The routes of runs. Receives decoded requests; submits the run to its session's lane, and answers with its result.
// Invariant: a run id identifies one run of its session forever, so that sending a request again starts nothing.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { uuidV7 } from "../../schemas/ids.ts"
import type { AgentRunRequest } from "../../schemas/runs/run-request.ts"
import type { EmbeddedRunResult } from "../../schemas/runs/run-result.ts"
import { checkOptions } from "../bodies/check-options.ts"
import { contract } from "../contract/contract.ts"
import type { ApiError } from "../errors/errors.ts"
import { renamedFields } from "../errors/renamed-fields.ts"
import { type App, acting, type Caller, handle, json } from "../handle.ts"
import { hashOf, REPLAYED } from "../idempotency/request-name.ts"
import { prefersAsync } from "../prefer.ts"
import { callSession } from "../sessions/session-call.ts"
import { resultOf, type RunPlace, statusOf } from "./run-answer.ts"
import { acceptsStream } from "../stream/accepts-stream.ts"
import { endedStream } from "../stream/ended-stream.ts"
import { lastEventId } from "../stream/last-event-id.ts"
import { streamRun } from "./run-stream.ts"
import { planRun, runSession, runTurn } from "./run-request.ts"
import { turnHeaders } from "../routes/turn-routes.ts"

const WAIT_MS = 10 * 60 * 1000

export const runRoutes = (app: App): void => {
  handle(
    app,
    contract.runAgent,
    Effect.fnUntraced(function* ({ body }, caller) {
      const runId = body.runId ?? uuidV7(yield* Clock.currentTimeMillis)
      const plan = yield* planRun(body, runId, caller.env.PERCH_RUNTIME)
      yield* renamed(body)(checkOptions(plan.options, caller))
      const place = yield* placeOf(caller, body.sessionId, runId)
      const hash = yield* hashOf("run", body)
      const { prompt, options, appendSystemPrompt: appended, run, session } = plan
      const isStream = acceptsStream(caller.request.headers.get("accept"))
      const submission = {
        turn: place.turn,
        prompt,
        onBusy: body.onBusy ?? "queue",
        options,
        ...(appended === undefined ? {} : { appendSystemPrompt: appended }),
        run,
        fingerprint: hash,
        origin: new URL(caller.request.url).origin,
        ...(isStream ? { streamed: true as const } : {}),
        // Results continue a run, so the session must exist already.
        ...(run.results === undefined ? { create: { session, attach: true as const, ...acting(caller) } } : {}),
        ...acting(caller),
      }
      const submit = callSession(caller.session, place.session, (stub) => stub.submit(submission))
      const { replayed } = yield* renamed(body)(submit)
      const isAsync = prefersAsync(caller.request)
      const again: Record<string, string> = replayed ? REPLAYED : {}
      if (isStream) return yield* stream(caller, place, again)
      return yield* answerRun(caller, place, isAsync ? 0 : WAIT_MS, {
        ...again,
        ...(isAsync ? { "preference-applied": "respond-async" } : {}),
      }).pipe(Effect.catch((error) => erasedAnswer(place, error)))
    }),
  )

  handle(
    app,
    contract.getAgentRun,
    Effect.fnUntraced(function* ({ params, query }, caller) {
      const place = yield* placeOf(caller, query.sessionId, params.runId)
      if (acceptsStream(caller.request.headers.get("accept"))) return yield* stream(caller, place)
      return yield* answerRun(caller, place, (query.wait ?? 0) * 1000)
    }),
  )

  handle(app, contract.abortAgentRun, ({ params, body }, caller) => abort(caller, body.sessionId, params.runId))

  handle(app, contract.deleteAgentRun, ({ params, query }, caller) => abort(caller, query.sessionId, params.runId))
}

const placeOf = Effect.fnUntraced(function* ({ tenant }: Caller, sessionId: string, runId: string) {
  const session = yield* runSession(tenant, sessionId)
  return { runId, sessionId, session, turn: yield* runTurn(tenant, session, runId) } satisfies RunPlace
})

const stream = Effect.fnUntraced(function* (caller: Caller, place: RunPlace, more: Record<string, string> = {}) {
  const run = yield* statusOf(caller, place, 0)
  const headers = { ...turnHeaders(place.session, run.turn), ...more }
  const last = yield* lastEventId(caller.request)
  if (last !== null && run.last_seq !== null && last >= run.last_seq) {
    const { session } = place
    return yield* endedStream(caller, { session, what: "the run is over", last, end: run.last_seq, headers })
  }
  return yield* streamRun(caller, place, run, last, headers)
})

/** Renames the options in an error to the parameters of the run that set them. */
const renamed = ({ clientTools }: AgentRunRequest) =>
  renamedFields((text) => {
    const named = text.replaceAll("options.runtime.recording", "recording")
    if (clientTools === undefined) return named
    return named
      .replaceAll(/options\.clientTools(\[\d+\])/g, "clientTools$1.function")
      .replaceAll("options.clientTools", "clientTools")
      .replaceAll("inputSchema", "parameters")
  })

const answerRun = Effect.fnUntraced(function* (
  caller: Caller,
  place: RunPlace,
  waitMs: number,
  more: Record<string, string> = {},
) {
  const { runId, sessionId, session } = place
  const run = yield* statusOf(caller, place, waitMs)
  const headers = { ...turnHeaders(session, run.turn), ...more }
  if (run.last_seq !== null) return json(200, yield* resultOf(caller, place, run), headers)
  const query = new URLSearchParams({ sessionId })
  const location = `/v1/runs/${encodeURIComponent(runId)}?${query}`
  const { status, pending } = run
  return json(202, { runId, sessionId, status, pending }, { ...headers, location })
})

/** The answer for a run whose session was erased while the run waited: it was aborted, as its stream reports. */
const erasedAnswer = ({ session, turn }: RunPlace, error: ApiError): Effect.Effect<Response, ApiError> => {
  if (error.type !== "not_found_error") return Effect.fail(error)
  const result: EmbeddedRunResult = { meta: { durationMs: 0, aborted: true } }
  return Effect.succeed(json(200, result, turnHeaders(session, turn)))
}

const abort = Effect.fnUntraced(function* (caller: Caller, sessionId: string, runId: string) {
  const place = yield* placeOf(caller, sessionId, runId)
  const { turn, last_seq } = yield* statusOf(caller, place, 0)
  const { actor, session } = caller
  const stopped =
    last_seq === null && (yield* callSession(session, place.session, (stub) => stub.stopTurn(turn, actor))).stopped
  return json(200, { runId, sessionId, aborted: stopped })
})
