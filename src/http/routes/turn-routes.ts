// The routes that read turns: a page of a session's turns, and one turn, at once or as soon as it has ended or needs an answer.
// Invariant: reading changes nothing; a wait during which the session's object restarts still ends on time.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { contract } from "../contract/contract.ts"
import { type App, handle, json } from "../handle.ts"
import { REPLAYED } from "../idempotency/request-name.ts"
import { callSession } from "../sessions/session-call.ts"

export const turnRoutes = (app: App): void => {
  handle(
    app,
    contract.listTurns,
    Effect.fnUntraced(function* ({ params, query: { limit = 20, order = "desc", cursor } }, { session }) {
      const page = { limit, order, ...(cursor === undefined ? {} : { cursor }) }
      return json(200, yield* callSession(session, params.id, (stub) => stub.turns(page)))
    }),
  )

  handle(
    app,
    contract.getTurn,
    Effect.fnUntraced(function* ({ params, query: { wait = 0, until = "action" } }, { session }) {
      const clock = yield* Clock.Clock
      const deadline = clock.currentTimeMillisUnsafe() + wait * 1000
      const left = () => (wait === 0 ? 0 : Math.max(0, deadline - clock.currentTimeMillisUnsafe()))
      return json(200, yield* callSession(session, params.id, (stub) => stub.turn(params.turn_id, left(), until)))
    }),
  )
}

/** The headers of an answer about a turn. */
export const turnHeaders = (session: string, turn: string, replayed = false): Record<string, string> => ({
  "perch-session-id": session,
  "perch-turn-id": turn,
  ...(replayed ? REPLAYED : {}),
})

/** The path at which a turn can be read. */
export const turnUrl = (session: string, turn: string): string => `/v1/sessions/${session}/turns/${turn}`
