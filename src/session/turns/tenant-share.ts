// What a session takes of its tenant's limits: a place among its sessions, and a slot while a turn runs.
// Invariant: a prompt that waits behind a turn of its session has that turn's slot, and a turn that has begun is never
// refused, whatever was restarted in between.
import type { TenantAccess, TenantLoad } from "../../limits/tenant-load.ts"
import { tenantLoad } from "../../limits/tenant-load.ts"
import type { Limits } from "../../schemas/limits.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { ObjectContext } from "../object-context.ts"

/** Null: it may. A promise when the tenant's object must be asked. */
type Verdict = Refusal | null | Promise<Refusal | null>

export class TenantShare {
  readonly #context: ObjectContext

  constructor(context: ObjectContext) {
    this.#context = context
  }

  get #load(): TenantLoad {
    return tenantLoad(this.#context.env, this.#context.tenant)
  }

  /** A stub that fails is of no more use: each call has its own. */
  get #access(): TenantAccess {
    const { env, tenant, keepAlive, now } = this.#context
    return { tenant: env.TENANTS.getByName(tenant), later: keepAlive, now }
  }

  get limits(): Limits {
    return this.#load.limits
  }

  /** How many turns of the tenant run at once while others wait; a promise while this isolate does not know the limits yet. */
  get laneTurns(): number | Promise<number> {
    const load = this.#load
    if (load.isKnown) return load.limits.lane_turns
    return this.#access.tenant.limits().then(
      ({ limits }) => {
        load.adopt(limits)
        return limits.lane_turns
      },
      // The counter can't be reached.
      () => load.limits.lane_turns,
    )
  }

  /** A session that is about to be made. */
  countSession(): Verdict {
    return verdict(this.#load.openSession(this.#context.id, this.#access), TOO_MANY_SESSIONS)
  }

  /** The session was erased, or was not made after all. Rejects when the tenant's object can't be reached. */
  uncountSession(): Promise<void> {
    return this.#load.closeSession(this.#context.id, this.#access)
  }

  /** A prompt to a session whose inbox is empty. */
  beginTurn(): Verdict {
    return verdict(this.#load.beginTurn(this.#context.id, false, this.#access), TOO_MANY_TURNS)
  }

  /** A turn goes on: after a restart, or after the answer that it waited for. */
  resumeTurn(): void {
    const begun = this.#load.beginTurn(this.#context.id, true, this.#access)
    if (begun instanceof Promise) this.#context.keepAlive(begun)
  }

  /** No turn of the session runs. */
  endTurn(): void {
    this.#load.endTurn(this.#context.id, this.#access)
  }

  /** The session's turn runs still. */
  renewTurn(): void {
    this.#load.renewTurn(this.#context.id, this.#access)
  }
}

const TRY_AGAIN_SECONDS = 5
const SESSIONS_SECONDS = 60

/** A refusal that passes with time. */
export const limited = (message: string, seconds = TRY_AGAIN_SECONDS): Refusal => {
  const { refused } = refuse("rate_limit_error", message)
  return { refused: { ...refused, retry_after: seconds } }
}

const TOO_MANY_TURNS = limited("as many turns of this tenant run as may run at once. Try again when one has ended.")
const TOO_MANY_SESSIONS = limited(
  "the tenant has as many sessions as it may have. Erase some, or ask for a higher limit.",
  SESSIONS_SECONDS,
)

const verdict = (admitted: boolean | Promise<boolean>, refusal: Refusal): Verdict =>
  admitted instanceof Promise ? admitted.then((may) => (may ? null : refusal)) : admitted ? null : refusal
