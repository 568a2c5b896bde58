// Receives a call of one of Perch's own tools at `/mcp`; runs it as the REST routes do, and returns the same result.
// Invariant: a call does only what its caller's key may do, in sessions of its own tenant, and waits no longer than its
// `wait_seconds`. A client that disconnects stops nothing; one that cancels its `perch_run` stops the turn; a cancelled call
// gets no answer.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"
import { uuidV7 } from "../../schemas/ids.ts"
import type { TurnInfo } from "../../schemas/rpc/turns.ts"
import type { PendingAsk } from "../../schemas/api/api.ts"
import { requireScope } from "../auth/auth.ts"
import { checkOptions, sentOptions } from "../bodies/check-options.ts"
import { type ApiError, invalidField } from "../errors/errors.ts"
import { acting, type Caller } from "../handle.ts"
import { hashOf } from "../idempotency/request-name.ts"
import { callSession } from "../sessions/session-call.ts"
import { newSession } from "../sessions/session-opening.ts"
import { PERCH_TOOLS, type PerchInput, type PerchOutput, type PerchTool, type Run } from "./perch-tools.ts"
import type { RunningCalls } from "./running-calls.ts"

export interface PerchCall {
  readonly caller: Caller
  /** The session that the request's address names. */
  readonly session: string | null
  /** The JSON-RPC id of the call. */
  readonly requestId: string | number
  readonly running: RunningCalls
  /** Reports progress to the client; null when the client did not ask for it. */
  readonly progress: ((seconds: number, message: string) => Promise<void>) | null
}

/** How often a waiting call polls its turn: REPORT_MS when it reports progress, POLL_MS otherwise. */
const REPORT_MS = 1000
const POLL_MS = 30_000

/** The output of a call; null when its client has cancelled it. */
export const callPerch = <N extends PerchTool>(
  name: N,
  input: PerchInput<N>,
  call: PerchCall,
): Effect.Effect<PerchOutput<N> | null, ApiError> => {
  const { principal } = call.caller
  const scope = principal === null ? Effect.void : requireScope(principal, PERCH_TOOLS[name].scope)
  // Each entry of CALLS has the types of its own name.
  const run = CALLS[name] as (input: PerchInput<N>, call: PerchCall) => Effect.Effect<PerchOutput<N> | null, ApiError>
  return Effect.andThen(scope, run(input, call))
}

const NO_SESSION = "is missing. Send it, or specify the session with ?session= in the URL of this server."

const sessionOf = (named: string | undefined, { session }: PerchCall): Effect.Effect<string, ApiError> => {
  const id = named ?? session
  return id === null ? Effect.fail(invalidField("session_id", NO_SESSION)) : Effect.succeed(id.toLowerCase())
}

const run = Effect.fnUntraced(function* (input: PerchInput<"perch_run">, call: PerchCall) {
  const { caller, running } = call
  const now = yield* Clock.currentTimeMillis
  const known = input.session_id ?? call.session
  const session = known?.toLowerCase() ?? uuidV7(now)
  const { prompt, title, model, permission_mode: permissionMode, max_turns: maxTurns } = input
  const options: SessionOptions = {
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
  }
  yield* checkOptions(sentOptions({ options }), caller)
  if (known !== null && title !== undefined) {
    return yield* invalidField("title", "is for a new session, but this one already exists")
  }
  const turn = uuidV7(now)
  const fingerprint = yield* hashOf("query", input)
  const query = { prompt, options, ...(title === undefined ? {} : { title }) }
  const create = { session: newSession(query), fingerprint, ...acting(caller) }
  const { origin } = new URL(caller.request.url)
  const args = { turn, prompt, onBusy: "queue" as const, options, fingerprint, origin, ...acting(caller) }
  const submit = callSession(caller.session, session, (stub) =>
    stub.submit(known === null ? { ...args, create } : args),
  )
  // Registered before the prompt is submitted, so that it can be cancelled at any time.
  return yield* running.during(
    call.requestId,
    { session, turn },
    Effect.andThen(submit, awaitTurn(call, session, turn, input.wait_seconds)),
  )
})

/** Waits until the turn has ended or an ask, its own or that of the turn before, blocks it, at most `seconds`; returns its state. */
const awaitTurn = Effect.fnUntraced(function* (call: PerchCall, session: string, turn: string, seconds: number) {
  const { caller, progress } = call
  const began = yield* Clock.currentTimeMillis
  for (let reported = -1; ;) {
    const now = yield* Clock.currentTimeMillis
    const left = began + seconds * 1000 - now
    const slice = Math.max(0, Math.min(left, progress === null ? POLL_MS : REPORT_MS))
    const info = yield* callSession(caller.session, session, (stub) =>
      stub.turn(turn, reported < 0 ? 0 : slice, "action"),
    )
    const passed = Math.max(reported + 0.001, ((yield* Clock.currentTimeMillis) - began) / 1000)
    if (progress !== null) yield* Effect.promise(() => progress(passed, info.status))
    reported = passed
    // An ask of the turn before also blocks the prompts queued after it.
    if (left <= 0 || info.pending.length > 0 || !WAITS.has(info.status)) return runOf(session, info)
  }
})

const WAITS: ReadonlySet<string> = new Set(["queued", "running"])

const runOf = (session_id: string, { turn_id, status, result, cost_usd, pending }: TurnInfo): Run => ({
  session_id,
  turn_id,
  status,
  result: typeof result?.["result"] === "string" ? result["result"] : null,
  errors: Array.isArray(result?.["errors"]) ? result["errors"].map(String) : [],
  cost_usd,
  pending: pending.map(askOf),
})

const askOf = ({ request_id, kind, turn_id, tool_name, input, expires_at }: PendingAsk) => ({
  request_id,
  kind,
  turn_id,
  tool_name,
  input,
  expires_at,
})

/** Stops a running or queued turn; returns false when it has ended. */
export const stopTurn = (caller: Caller, session: string, turn: string): Effect.Effect<boolean, ApiError> =>
  Effect.map(
    callSession(caller.session, session, (stub) => stub.stopTurn(turn, caller.actor)),
    ({ stopped }) => stopped,
  )

const CALLS: {
  readonly [N in PerchTool]: (input: PerchInput<N>, call: PerchCall) => Effect.Effect<PerchOutput<N> | null, ApiError>
} = {
  perch_run: run,
  perch_result: Effect.fnUntraced(function* (input, call) {
    const session = yield* sessionOf(input.session_id, call)
    const wait = awaitTurn(call, session, input.turn_id.toLowerCase(), input.wait_seconds)
    // A call that does not wait is not registered: it is answered before it could be cancelled.
    if (input.wait_seconds === 0) return yield* wait
    return yield* call.running.during(call.requestId, { session, turn: null }, wait)
  }),
  perch_asks: Effect.fnUntraced(function* (input, call) {
    const session = yield* sessionOf(input.session_id, call)
    return { pending: (yield* callSession(call.caller.session, session, (stub) => stub.asks())).map(askOf) }
  }),
  perch_answer: Effect.fnUntraced(function* ({ session_id, request_id, answer }, call) {
    const session = yield* sessionOf(session_id, call)
    const { actor, session: sessions } = call.caller
    return yield* callSession(sessions, session, (stub) => stub.answer(request_id, answer, actor))
  }),
  perch_stop: Effect.fnUntraced(function* (input, call) {
    const session = yield* sessionOf(input.session_id, call)
    const turn = input.turn_id.toLowerCase()
    // An unknown turn is an error, as it is for perch_result.
    yield* callSession(call.caller.session, session, (stub) => stub.turn(turn, 0, "action"))
    return { stopped: yield* stopTurn(call.caller, session, turn) }
  }),
}
