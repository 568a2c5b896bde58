// The calls of `/mcp` that their client can cancel. Records those that wait for a turn in D1; finds such a call when its client
// cancels it, in whichever isolate the cancellation arrives; reports to a call that it was cancelled.
// Invariant: a call is identified by its tenant, its client's MCP session and its own id, so no client cancels another's call.
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { claimRequest, findRequest, forgetRequest, type Lease } from "../../store/named-requests.ts"
import { type ApiError, fromStore } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { hashOf } from "../idempotency/request-name.ts"

/** The header with the id of the MCP session, which the response to `initialize` assigned to the client. */
export const MCP_SESSION = "mcp-session-id"
const MAX_SESSION = 200

interface CalledTurn {
  readonly session: string
  /** The turn that ends with the call; null for a call that only reads. */
  readonly turn: string | null
}

/** How often a call that only reads checks whether it was cancelled. */
const CHECK_MS = 5000

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
      const claim = { tenant, name, lease, fingerprint: session, creationId: turn ?? "", now }
      const { state } = yield* fromStore(claimRequest(env.DB, claim))
      // When a turn is stopped, the wait for it ends.
      const ended = turn === null && state === "leased" ? Effect.raceFirst(wait, this.#removed(name)) : wait
      const exit = yield* Effect.exit(ended)
      const isCancelled = yield* this.#unregister({ tenant, name, lease })
      return state === "leased" && isCancelled ? null : yield* exit
    })
  }

  /** Ends when the entry of a call has been removed. */
  #removed(name: string): Effect.Effect<null> {
    const { env, tenant } = this.#caller
    return Effect.gen(function* () {
      for (;;) {
        yield* Effect.sleep(CHECK_MS)
        const found = yield* Effect.exit(findRequest(env.DB, tenant, name))
        if (Exit.isSuccess(found) && found.value === null) return null
      }
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

  /** Removes the entry of a call that its client cancels; returns what it waits for, or null without such a call. */
  cancel(id: string | number): Effect.Effect<CalledTurn | null, ApiError> {
    return Effect.gen({ self: this }, function* () {
      if (this.#session === null) return null
      const { env, tenant } = this.#caller
      const name = yield* this.#nameOf(id)
      const found = yield* fromStore(findRequest(env.DB, tenant, name))
      if (found === null) return null
      yield* fromStore(forgetRequest(env.DB, { tenant, name, lease: found.lease }))
      return { session: found.fingerprint, turn: found.creationId === "" ? null : found.creationId }
    })
  }

  /** The name of a call that is not in D1; undefined for a client without an MCP session, which can't cancel its calls. */
  idOf(id: string | number): Effect.Effect<string | undefined> {
    return this.#session === null ? Effect.succeed(undefined) : this.#nameOf(id)
  }

  #nameOf(id: string | number): Effect.Effect<string> {
    return hashOf("mcp", { session: this.#session, id })
  }
}
