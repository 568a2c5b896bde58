// What a session uses of its tenant's limits: a place among its sessions, and a slot while a turn runs.
// Invariant: a prompt that waits behind a turn of its session shares that turn's slot, and a turn that has started is never
// refused, whatever was restarted meanwhile.
import type { TenantAccess } from "../../limits/tenant-access.ts"
import { type TenantLoad, tenantLoad } from "../../limits/tenant-load.ts"
import type { Limits } from "../../schemas/limits.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { ObjectContext } from "../object-context.ts"

/** Null when it is allowed; a promise when the tenant's object must be asked. */
type Verdict = Refusal | null | Promise<Refusal | null>

export class TenantShare {
  readonly #context: ObjectContext

  constructor(context: ObjectContext) {
    this.#context = context
  }

  get #load(): TenantLoad {
    return tenantLoad(this.#context.env, this.#context.tenant)
  }

  /** A new stub for each call: one that has failed can't be used again. */
  get #access(): TenantAccess {
    const { env, tenant, keepAlive, now } = this.#context
    return { tenant: env.TENANTS.getByName(tenant), later: keepAlive, now }
  }

  get limits(): Limits {
    return this.#load.limits
  }

  /** How many turns of the tenant may run at once, 0 for no limit; a promise while this isolate does not know the limits yet. */
  get laneTurns(): number | Promise<number> {
    const load = this.#load
    if (load.isKnown) return load.limits.lane_turns
    return this.#access.tenant.limits().then(
      ({ limits }) => {
        load.adopt(limits)
        return limits.lane_turns
      },
      // The tenant's object can't be reached: the limits known here apply.
      () => load.limits.lane_turns,
    )
  }

  /** Counts a session that is about to be created; a refusal when the tenant may not have another. */
  countSession(): Verdict {
    return verdict(this.#load.sessions.open(this.#context.id, this.#access), TOO_MANY_SESSIONS)
  }

  /** Uncounts a session that was erased, or was not created after all. Rejects when the tenant's object can't be reached. */
  uncountSession(): Promise<void> {
    return this.#load.sessions.close(this.#context.id, this.#access)
  }

  /** Takes a slot for a prompt to a session whose inbox is empty; a refusal when none is free. */
  beginTurn(): Verdict {
    return verdict(this.#load.turns.begin(this.#context.id, this.#access), TOO_MANY_TURNS)
  }

  /** Takes a slot for a turn that continues after a restart, or after the answer that it waited for. Never refused. */
  resumeTurn(): void {
    const begun = this.#load.turns.resume(this.#context.id, this.#access)
    if (begun instanceof Promise) this.#context.keepAlive(begun)
  }

  /** Releases the slot: no turn of the session runs. */
  endTurn(): void {
    this.#load.turns.end(this.#context.id, this.#access)
  }

  /** Renews the slot: the session's turn still runs. */
  renewTurn(): void {
    this.#load.turns.renew(this.#context.id, this.#access)
  }
}

const TRY_AGAIN_SECONDS = 5
const SESSIONS_SECONDS = 60

/** A refusal after which the request may be tried again in `seconds`. */
export const limited = (message: string, seconds = TRY_AGAIN_SECONDS): Refusal => {
  const { refused } = refuse("rate_limit_error", message)
  return { refused: { ...refused, retry_after: seconds } }
}

const TOO_MANY_TURNS = limited("the tenant's maximum number of turns is already running. Try again when one has ended.")
const TOO_MANY_SESSIONS = limited(
  "the tenant has reached its maximum number of sessions. Erase some, or ask for a higher limit.",
  SESSIONS_SECONDS,
)

const verdict = (admitted: boolean | Promise<boolean>, refusal: Refusal): Verdict =>
  admitted instanceof Promise ? admitted.then((may) => (may ? null : refusal)) : admitted ? null : refusal
