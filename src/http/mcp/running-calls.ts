// The calls of `/mcp` that wait for a turn. Records their ids in D1; finds the turn of a call that its client cancels, in
// whichever isolate the cancellation arrives; reports to a call that it was cancelled.
// Invariant: a call is identified by its tenant, its client's MCP session and its own id, so no client cancels another's call.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { claimRequest, findRequest, forgetRequest, type Lease } from "../../store/named-requests.ts"
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

  /**
   * Runs `wait` with the call registered; returns its outcome, or null when the client has cancelled the call. A client without
   * an MCP session can't cancel its calls.
   */
  during<A>(
    id: string | number,
    { session, turn }: CalledTurn,
    wait: Effect.Effect<A, ApiError>,
  ): Effect.Effect<A | null, ApiError> {
    if (this.#session === null) return wait
    const { env, tenant } = this.#caller
    return Effect.gen({ self: this }, function* () {
      const name = yield* this.#nameOf(id)
      const lease = crypto.randomUUID()
      const now = yield* Clock.currentTimeMillis
      const claim = { tenant, name, lease, fingerprint: session, creationId: turn, now }
      const { state } = yield* fromStore(claimRequest(env.DB, claim))
      const exit = yield* Effect.exit(wait)
      const isCancelled = yield* this.#unregister({ tenant, name, lease })
      return state === "leased" && isCancelled ? null : yield* exit
    })
  }

  /** Removes the entry of a call that has ended; true when the client's cancellation has removed it before. */
  #unregister(call: Lease): Effect.Effect<boolean> {
    const { DB } = this.#caller.env
    return Effect.gen(function* () {
      if (yield* forgetRequest(DB, call)) return false
      // An entry with another lease belongs to a later call with the same id.
      return (yield* findRequest(DB, call.tenant, call.name)) === null
      // A failure is harmless: the entry expires, and the call is answered.
    }).pipe(Effect.orElseSucceed(() => false))
  }

  /** Removes the entry of a call that its client cancels; returns the turn that it waits for, or null without such a call. */
  cancel(id: string | number): Effect.Effect<CalledTurn | null, ApiError> {
    return Effect.gen({ self: this }, function* () {
      if (this.#session === null) return null
      const { env, tenant } = this.#caller
      const name = yield* this.#nameOf(id)
      const found = yield* fromStore(findRequest(env.DB, tenant, name))
      if (found === null) return null
      yield* fromStore(forgetRequest(env.DB, { tenant, name, lease: found.lease }))
      return { session: found.fingerprint, turn: found.creationId }
    })
  }

  #nameOf(id: string | number): Effect.Effect<string> {
    return hashOf("mcp", { session: this.#session, id })
  }
}
