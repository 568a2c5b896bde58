// The routes that run a prompt: in a session, or in a new one. The answer is a stream, a result or a receipt.
// Invariants: a prompt that was not accepted is answered with its status before any stream begins; a client that
// leaves stops nothing.
import { Clock, Effect } from "effect"
import type { Query, QuerySession } from "../schemas/api.ts"
import { uuidV7, uuidV8 } from "../schemas/ids.ts"
import type { FeedLine } from "../schemas/feed-line.ts"
import type { SessionStub } from "../schemas/env.ts"
import { isResult, sdkView } from "../views/sdk.ts"
import { contract } from "./contract.ts"
import { fromRpc, unexpected } from "./errors.ts"
import { dropFeed, feedOf } from "./feed-socket.ts"
import { acting, type App, type Caller, handle, json, stillGood } from "./handle.ts"
import { callSession } from "./session-call.ts"
import { hashOf, idempotencyKey, newSession, newSessionId } from "./session-opening.ts"
import { SSE_HEADERS, sseStream } from "./sse.ts"

/** A prompt and its sender. */
type Submission = Parameters<SessionStub["submit"]>[0]

const WAIT_MS = 10 * 60 * 1000

export const queryRoutes = (app: App): void => {
  handle(
    app,
    contract.query,
    Effect.fnUntraced(function* ({ body }, caller) {
      const key = yield* idempotencyKey(caller)
      const id = yield* newSessionId(caller, key)
      const hash = yield* hashOf("query", body)
      const turn = yield* turnId(body, caller, id, key)
      const create = { session: newSession(body), fingerprint: hash, ...acting(caller) }
      const args = { ...prompt(turn, body, hash, caller), create }
      return yield* run(caller, id, args)
    }),
  )

  handle(
    app,
    contract.querySession,
    Effect.fnUntraced(function* ({ params, body }, caller) {
      const key = yield* idempotencyKey(caller)
      const turn = yield* turnId(body, caller, params.id, key)
      return yield* run(caller, params.id, prompt(turn, body, yield* hashOf("query", body), caller))
    }),
  )
}

const turnId = Effect.fnUntraced(function* (
  body: Query | QuerySession,
  { tenant }: Caller,
  session: string,
  key: string | null,
) {
  if (body.uuid !== undefined) return body.uuid
  if (key !== null) return yield* Effect.promise(() => uuidV8("turn", tenant, session, key))
  return uuidV7(yield* Clock.currentTimeMillis)
})

const prompt = (turn: string, body: Query | QuerySession, hash: string, caller: Caller): Submission => ({
  turn,
  prompt: body.prompt,
  onBusy: body.on_busy ?? "queue",
  options: body.options ?? {},
  fingerprint: hash,
  ...acting(caller),
})

const run = (caller: Caller, id: string, args: Submission) => {
  const { headers } = caller.request
  if (/\btext\/event-stream\b/i.test(headers.get("accept") ?? "")) return streamTurn(caller, id, args)
  if (/\brespond-async\b/i.test(headers.get("prefer") ?? "")) return acceptTurn(caller, id, args)
  return awaitTurn(caller, id, args)
}

const names = (session: string, turn: string) => ({ "perch-session-id": session, "perch-turn-id": turn })

const acceptTurn = Effect.fnUntraced(function* ({ session }: Caller, id: string, args: Submission) {
  const { turn_id, status } = yield* callSession(
    () => session(id),
    (stub) => stub.submit(args),
  )
  const headers = { ...names(id, turn_id), "preference-applied": "respond-async" }
  return json(202, { session_id: id, turn_id, status }, headers)
})

const awaitTurn = Effect.fnUntraced(function* ({ session }: Caller, id: string, args: Submission) {
  const { turn_id } = yield* callSession(
    () => session(id),
    (stub) => stub.submit(args),
  )
  const turn = yield* callSession(
    () => session(id),
    (stub) => stub.wait(turn_id, WAIT_MS),
  )
  if (turn.status === "finished") return json(200, turn.result, names(id, turn_id))
  const pending = turn.status === "requires_action" ? turn.pending : []
  return json(202, { session_id: id, turn_id, status: turn.status, pending }, names(id, turn_id))
})

const streamTurn = Effect.fnUntraced(function* (caller: Caller, id: string, args: Submission) {
  const { request, requestId, route, session } = caller
  const open = feedOf(() => session(id), { turn: args.turn, partials: "turn" })
  // The feed of a session that exists is opened while the prompt is submitted. Why it failed shows when it is opened again.
  const opening = args.create === undefined ? open("head").catch(() => null) : Promise.resolve(null)
  const { seq } = yield* callSession(
    () => session(id),
    (stub) => stub.submit(args),
  ).pipe(Effect.tapError(() => Effect.promise(() => opening.then(dropFeed))))
  const early = yield* Effect.promise(() => opening)
  const first = early?.ok
    ? early.value
    : yield* Effect.flatMap(
        Effect.promise(() => open(seq - 1)),
        fromRpc,
      )
  const ofTurn = ({ turn }: FeedLine): boolean => turn === null || turn === args.turn
  const stream = sseStream({
    first,
    open,
    after: seq - 1,
    firstAtHead: early?.ok === true,
    view: (line) => (ofTurn(line) ? sdkView(line) : []),
    until: (line) => line.turn === args.turn && isResult(line),
    signal: request.signal,
    stillGood: stillGood(caller),
    onLost: (cause) => unexpected(cause, { requestId, route }),
  })
  return new Response(stream, { headers: { ...SSE_HEADERS, ...names(id, args.turn) } })
})
