// The calls of `/mcp` that wait for a turn. Records their ids in D1; finds the turn of a call that its client cancels, in
// whichever isolate the cancellation arrives.
// Invariant: a call is identified by its tenant, its client's MCP session and its own id, so no client cancels another's call.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { claimRequest, findRequest, forgetRequest } from "../../store/named-requests.ts"
import { type ApiError, fromStore } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { hashOf } from "../idempotency/request-name.ts"

/** The header with the id of the MCP session, which the response to `initialize` assigned to the client. */
export const MCP_SESSION = "mcp-session-id"
const MAX_SESSION = 200

interface CalledTurn {
  readonly session: string
  readonly turn: string
}

export class RunningCalls {
  readonly #caller: Caller
  readonly #session: string | null

  constructor(caller: Caller) {
    this.#caller = caller
    this.#session = caller.request.headers.get(MCP_SESSION)?.slice(0, MAX_SESSION) ?? null
  }

  /** Runs `wait` with the call registered. A client without an MCP session can't cancel its calls. */
  during<A>(
    id: string | number,
    { session, turn }: CalledTurn,
    wait: Effect.Effect<A, ApiError>,
  ): Effect.Effect<A, ApiError> {
    if (this.#session === null) return wait
    const { env, tenant } = this.#caller
    const lease = crypto.randomUUID()
    return Effect.acquireUseRelease(
      Effect.gen({ self: this }, function* () {
        const name = yield* this.#nameOf(id)
        const now = yield* Clock.currentTimeMillis
        const claim = { tenant, name, lease, fingerprint: session, creationId: turn, now }
        yield* fromStore(claimRequest(env.DB, claim))
        return name
      }),
      () => wait,
      // A failure is harmless: the entry expires.
      (name) => Effect.ignore(forgetRequest(env.DB, { tenant, name, lease })),
    )
  }

  /** The turn that a call waits for; null when no such call is registered. */
  find(id: string | number): Effect.Effect<CalledTurn | null, ApiError> {
    return Effect.gen({ self: this }, function* () {
      if (this.#session === null) return null
      const { env, tenant } = this.#caller
      const name = yield* this.#nameOf(id)
      const found = yield* fromStore(findRequest(env.DB, tenant, name))
      return found === null ? null : { session: found.fingerprint, turn: found.creationId }
    })
  }

  #nameOf(id: string | number): Effect.Effect<string> {
    return hashOf("mcp", { session: this.#session, id })
  }
}
