// The routes that run a prompt: in an existing session, or in a new one. The answer is a stream, a result or a 202.
// Invariants: a prompt that is refused is answered with its status before any stream starts; a client that disconnects stops
// nothing.
import * as Effect from "effect/Effect"
import type { Query, QuerySession } from "../../schemas/api/api.ts"
import type { FeedLine } from "../../schemas/log/feed-line.ts"
import type { SessionStub } from "../../schemas/env.ts"
import type { TurnStatus } from "../../schemas/rpc/turns.ts"
import { erasedTurn, isSeparateEvent, isCancelled, withAsks } from "../../views/with-asks.ts"
import { isResult, sdkView } from "../../views/sdk.ts"
import { contract } from "../contract/contract.ts"
import { ApiError, invalidField } from "../errors/errors.ts"
import { callObject } from "../object-call.ts"
import { feedOf, submissionHeader, submitWithFeed } from "../socket/feed-socket.ts"
import { acting, type App, type Caller, handle, json } from "../handle.ts"
import { callSession } from "../sessions/session-call.ts"
import { createdId, hashOf, idempotencyKey } from "../idempotency/request-name.ts"
import { prefersAsync } from "../prefer.ts"
import { newSession } from "../sessions/session-opening.ts"
import { acceptsStream } from "../stream/accepts-stream.ts"
import { endedStream } from "../stream/ended-stream.ts"
import { sseResponse } from "../stream/sse-response.ts"
import { lastEventId } from "../stream/last-event-id.ts"
import { mediaOf } from "../stream/media-source.ts"
import { turnHeaders, turnUrl } from "./turn-routes.ts"

/** A prompt and its sender. */
type Submission = Parameters<SessionStub["submit"]>[0]

const WAIT_MS = 10 * 60 * 1000

export const queryRoutes = (app: App): void => {
  handle(
    app,
    contract.query,
    Effect.fnUntraced(function* ({ body }, caller) {
      const key = yield* idempotencyKey(caller)
      const id = yield* createdId(caller, key, "session")
      const hash = yield* hashOf("query", body)
      const turn = body.uuid ?? (yield* createdId(caller, key, "turn", id))
      const create = { session: newSession(body), fingerprint: hash, ...acting(caller) }
      const args = { ...prompt(turn, body, hash, caller), create }
      return yield* run(caller, id, args, key !== null)
    }),
  )

  handle(app, contract.querySession, ({ params, body }, caller) => runIn(caller, params.id, "query", body))

  handle(app, contract.compactSession, ({ params, body: { instructions, ...others } }, caller) =>
    runIn(caller, params.id, "compact", { ...others, prompt: compactPrompt(instructions) }),
  )
}

/** Runs a prompt in an existing session. `route` keeps requests to different routes with the same key apart. */
const runIn = Effect.fnUntraced(function* (caller: Caller, id: string, route: "query" | "compact", body: QuerySession) {
  const key = yield* idempotencyKey(caller)
  const turn = body.uuid ?? (yield* createdId(caller, key, "turn", id))
  const args = prompt(turn, body, yield* hashOf(route, body), caller)
  return yield* run(caller, id, args, key !== null || body.uuid !== undefined)
})

/** The prompt that compacts a conversation. */
const compactPrompt = (instructions: string | undefined): string =>
  instructions === undefined || instructions.trim() === "" ? "/compact" : `/compact ${instructions.trim()}`

const prompt = (turn: string, body: Query | QuerySession, hash: string, caller: Caller): Submission => ({
  turn,
  prompt: body.prompt,
  onBusy: body.on_busy ?? "queue",
  options: body.options ?? {},
  ...(body.route === undefined && body.subtask === undefined
    ? {}
    : {
        routing: {
          route: body.route ?? "auto",
          ...(body.subtask === undefined ? {} : { subtask: body.subtask }),
        },
      }),
  fingerprint: hash,
  origin: new URL(caller.request.url).origin,
  ...acting(caller),
})

/** `hasKey`: the request names its turn by a key or a uuid, so that sending it again does not start another turn. */
const run = (caller: Caller, id: string, args: Submission, hasKey: boolean) => {
  const { headers } = caller.request
  if (acceptsStream(headers.get("accept"))) {
    return Effect.flatMap(cursorOf(caller, hasKey), (last) => streamTurn(caller, id, { ...args, streamed: true }, last))
  }
  if (prefersAsync(caller.request)) return acceptTurn(caller, id, args)
  return awaitTurn(caller, id, args)
}

/** The seq after which a reconnecting reader continues; null for a reader's first request. */
const cursorOf = Effect.fnUntraced(function* ({ request }: Caller, hasKey: boolean) {
  const last = yield* lastEventId(request)
  if (last === null || hasKey) return last
  const message =
    "a prompt that is sent again with it needs a key, otherwise it would run twice. Send the same Idempotency-Key each time, or continue at GET /v1/sessions/{id}/events/stream."
  return yield* invalidField("Last-Event-ID", message)
})

/** A 202: the turn has not ended; `location` is the path at which it can be read. */
const accepted = (
  session: string,
  turn: Omit<TurnStatus, "result"> & { readonly replayed: boolean },
  headers: Record<string, string> = {},
): Response => {
  const { turn_id, status, pending, replayed } = turn
  const place = { ...turnHeaders(session, turn_id, replayed), location: turnUrl(session, turn_id), ...headers }
  return json(202, { session_id: session, turn_id, status, pending }, place)
}

const acceptTurn = Effect.fnUntraced(function* ({ session }: Caller, id: string, args: Submission) {
  const submitted = yield* callSession(session, id, (stub) => stub.submit(args))
  return accepted(id, submitted, { "preference-applied": "respond-async" })
})

const erasedMeanwhile = new ApiError({
  type: "conflict_error",
  message: "The session was deleted before the prompt's turn had ended.",
})

const awaitTurn = Effect.fnUntraced(function* ({ session }: Caller, id: string, args: Submission) {
  const { turn_id, replayed } = yield* callSession(session, id, (stub) => stub.submit(args))
  const turn = yield* callSession(session, id, (stub) => stub.wait(turn_id, WAIT_MS)).pipe(
    Effect.mapError((error) => (error.type === "not_found_error" ? erasedMeanwhile : error)),
  )
  if (turn.result !== null) return json(200, turn.result, turnHeaders(id, turn_id, replayed))
  if (turn.status !== "cancelled") return accepted(id, { ...turn, replayed })
  const message = "The prompt was cancelled before its turn started. Send it again with another uuid."
  return yield* new ApiError({ type: "conflict_error", message })
})

const streamTurn = Effect.fnUntraced(function* (caller: Caller, id: string, args: Submission, last: number | null) {
  const { session } = caller
  const feed = { turn: args.turn, partials: "turn" } as const
  const open = feedOf(() => session(id), feed)
  const submission = last === null ? submissionHeader(args) : null
  const opened =
    submission === null ? null : yield* callSession(session, id, (stub) => submitWithFeed(stub, submission, feed))
  const { seq, replayed } = opened?.submitted ?? (yield* callSession(session, id, (stub) => stub.submit(args)))
  const headers = turnHeaders(id, args.turn, replayed)
  const end = last === null ? null : yield* endOf(caller, id, args.turn)
  if (last !== null && end !== null && last >= end) {
    return yield* endedStream(caller, { session: id, what: "the turn has ended", last, end, headers })
  }
  const after = Math.max(seq - 1, last ?? 0)
  const first = opened?.feed ?? (yield* callObject("session", () => open(after)))
  const view = withAsks(sdkView)
  // A turn also waits while an ask of the turn before it is pending.
  const shows = (line: FeedLine): boolean => line.turn === null || line.turn === args.turn || isSeparateEvent(line)
  return sseResponse(
    caller,
    {
      first,
      open,
      after,
      view: (line) => (shows(line) ? view(line) : []),
      media: mediaOf(() => session(id)),
      until: (line) => line.turn === args.turn && (isResult(line) || isCancelled(line)),
      gone: () => [erasedTurn(args.turn)],
    },
    headers,
  )
})

/** The seq of the turn's last event; null while the turn is open. */
const endOf = ({ session }: Caller, id: string, turn: string) =>
  Effect.map(
    callSession(session, id, (stub) => stub.turn(turn, 0, "action")),
    ({ last_seq }) => last_seq,
  )
