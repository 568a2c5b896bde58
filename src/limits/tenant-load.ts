// What this isolate knows of a tenant's use of its limits, by what is limited: requests, turns and sessions. Each part admits at
// once while there is clearly room, and asks the tenant's object otherwise.
// Invariant: all parts use the limits that the tenant's object returned last.
import type { Env } from "../schemas/env.ts"
import { DEFAULT_LIMITS, type Limits } from "../schemas/limits.ts"
import { deploymentLimits } from "./deployment-limits.ts"
import { RequestPermits } from "./request-permits.ts"
import { SessionCount } from "./session-count.ts"
import type { KnownLimits } from "./tenant-access.ts"
import { TurnSlots } from "./turn-slots.ts"

const MAX_TENANTS = 5000

const loads = new Map<string, TenantLoad>()

/** What this isolate knows of a tenant's use. Above `MAX_TENANTS`, a tenant without running turns is dropped. */
export const tenantLoad = (env: Pick<Env, "PERCH_LIMITS">, tenant: string): TenantLoad => {
  const known = loads.get(tenant)
  if (known !== undefined) return known
  if (loads.size >= MAX_TENANTS) {
    const idle = [...loads].find(([, load]) => load.isIdle)
    if (idle !== undefined) loads.delete(idle[0])
  }
  const load = new TenantLoad(deploymentLimits(env) ?? DEFAULT_LIMITS)
  loads.set(tenant, load)
  return load
}

export class TenantLoad implements KnownLimits {
  readonly requests = new RequestPermits(this)
  readonly turns = new TurnSlots(this)
  readonly sessions = new SessionCount(this)
  #limits: Limits
  /** False while the limits are only the deployment's: the tenant may have its own. */
  #known = false

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get limits(): Limits {
    return this.#limits
  }

  /** False until the tenant's own limits have been received. */
  get isKnown(): boolean {
    return this.#known
  }

  /** True when no turn of the tenant runs in this isolate: it can be dropped. */
  get isIdle(): boolean {
    return this.turns.isIdle
  }

  /** Adopts the tenant's limits. When those of requests differ, allowances that were granted under the old ones become void. */
  adopt(limits: Limits): void {
    if (this.#limits.requests_per_minute !== limits.requests_per_minute) this.requests.clear()
    if (this.#limits.requests_per_minute_per_key !== limits.requests_per_minute_per_key) this.requests.clear()
    this.#limits = limits
    this.#known = true
  }
}
