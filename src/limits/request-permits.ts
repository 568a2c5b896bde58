// Receives the requests of a tenant's keys; admits those that this isolate's allowance covers, and asks the tenant's object for
// more otherwise.
// Invariants: with little room the tenant's object decides about every request; while it can't be reached, none is refused that
// it would have to decide about; no promise is shared between requests.
import { WINDOW_MS } from "../schemas/limits.ts"
import { isStillAhead } from "./still-ahead.ts"
import type { TenantAccess, KnownLimits } from "./tenant-access.ts"

/** With a limit of at least this, an isolate admits first and reports to the tenant's object afterwards. */
const ROOMY = 1000
/** An isolate admits this fraction (1/50) of a minute's requests before it knows how many are left. */
const OPENING_DIVISOR = 50
const MAX_KEYS = 1000

/** Whether a request is admitted, and how many its key has left until `until` (milliseconds since 1970). */
export interface Permit {
  readonly admitted: boolean
  readonly limit: number
  readonly left: number
  readonly until: number
}

interface Allowance {
  left: number
  /** How many requests the tenant's object can still grant. */
  rest: number
  until: number
  asking: boolean
}

export class RequestPermits {
  readonly #tenant: KnownLimits
  readonly #allowances = new Map<string, Allowance>()

  constructor(tenant: KnownLimits) {
    this.#tenant = tenant
  }

  /** Voids the allowances. Call it when the limits under which they were granted have changed. */
  clear(): void {
    this.#allowances.clear()
  }

  /** Admits or refuses one request of a key. */
  admit(key: string, access: TenantAccess): Permit | Promise<Permit> {
    const now = access.now()
    const share = this.#share
    const known = this.#allowances.get(key)
    const allowance =
      known !== undefined && isStillAhead(known.until, now, WINDOW_MS) ? known : this.#startWindow(key, access)
    if (allowance === null) return this.#lease(key, access, null)
    if (allowance.left > 0) {
      allowance.left -= 1
      if (allowance.left < share / 4 && allowance.rest > 0 && !allowance.asking) this.#topUp(key, allowance, access, 0)
      return this.#permit(allowance, true)
    }
    return allowance.rest > 0 ? this.#lease(key, access, allowance) : this.#permit(allowance, false)
  }

  get #perMinute(): number {
    return Math.min(this.#tenant.limits.requests_per_minute, this.#tenant.limits.requests_per_minute_per_key)
  }

  get #share(): number {
    return Math.max(1, Math.floor(this.#perMinute / OPENING_DIVISOR))
  }

  /** With high limits a new minute starts with a share that is reported afterwards; null when the tenant's object must decide. */
  #startWindow(key: string, access: TenantAccess): Allowance | null {
    this.#allowances.delete(key)
    if (!this.#tenant.isKnown || this.#perMinute < ROOMY) return null
    const share = this.#share
    const allowance = { left: share, rest: this.#perMinute - share, until: access.now() + WINDOW_MS, asking: false }
    this.#keep(key, allowance)
    this.#topUp(key, allowance, access, share)
    return allowance
  }

  #keep(key: string, allowance: Allowance): void {
    if (this.#allowances.size >= MAX_KEYS) this.#allowances.delete(this.#allowances.keys().next().value ?? "")
    this.#allowances.set(key, allowance)
  }

  /** Asks for another share. `taken` is the number of requests that the isolate has granted itself beforehand. */
  #topUp(key: string, allowance: Allowance, { tenant, later }: TenantAccess, taken: number): void {
    allowance.asking = true
    const asked = tenant.lease({ key, wanted: this.#share }).then(
      (lease) => {
        Object.assign(allowance, { asking: false, rest: lease.left, until: lease.until })
        allowance.left += lease.granted - taken
        this.#tenant.adopt(lease.limits)
      },
      () => {
        allowance.asking = false
      },
    )
    later(asked)
  }

  async #lease(key: string, { tenant, now }: TenantAccess, before: Allowance | null): Promise<Permit> {
    try {
      const lease = await tenant.lease({ key, wanted: this.#share })
      this.#tenant.adopt(lease.limits)
      const known = this.#allowances.get(key)
      const allowance = known ?? { left: 0, rest: 0, until: lease.until, asking: false }
      if (known === undefined) this.#keep(key, allowance)
      Object.assign(allowance, { rest: lease.left, until: lease.until })
      // Concurrent calls may each have been granted more than one request: what remains is kept for later ones.
      allowance.left += lease.granted
      if (allowance.left <= 0) return this.#permit(allowance, false)
      allowance.left -= 1
      return this.#permit(allowance, true)
    } catch {
      // The tenant's object can't be reached.
      return this.#permit(before ?? { left: 0, rest: 0, until: now() + WINDOW_MS, asking: false }, true)
    }
  }

  #permit({ left, rest, until }: Allowance, admitted: boolean): Permit {
    return { admitted, limit: this.#perMinute, left: left + rest, until }
  }
}
