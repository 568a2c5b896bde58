// What this isolate knows of a tenant's use of its limits: receives requests, turns and sessions that are about to start;
// admits them at once while there is clearly room, and asks the tenant's object otherwise.
// Invariants: with little room the tenant's object decides every admission; while the object can't be reached, nothing is
// refused that it would have to decide; no promise is shared between requests.
import type { Env } from "../schemas/env.ts"
import { type Admission, DEFAULT_LIMITS, type Limits, type TenantRpc, WINDOW_MS } from "../schemas/limits.ts"
import { deploymentLimits } from "./deployment-limits.ts"
import { isStillAhead } from "./still-ahead.ts"

/** With limits of at least these, an isolate admits first and reports to the tenant's object afterwards. */
const ROOMY = { requests: 1000, turns: 500, sessions: 10_000 } as const
/** An isolate admits this fraction (1/50) of a minute's requests before it knows how many are left. */
const OPENING_DIVISOR = 50
const REPORT_MS = 1000
const MAX_TENANTS = 5000
const MAX_KEYS = 1000

/** The tenant's object, and `later`, which keeps the caller alive for calls that nothing waits for. */
export interface TenantAccess {
  readonly tenant: TenantRpc
  readonly later: (work: Promise<unknown>) => void
  readonly now: () => number
}

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

export class TenantLoad {
  #limits: Limits
  /** False while the limits are only the deployment's: the tenant may have its own. */
  #known = false
  readonly #allowances = new Map<string, Allowance>()
  /** Sessions of this isolate whose turns run. */
  readonly #running = new Set<string>()
  /** Sessions that have a slot of the tenant's object for their turn. */
  readonly #slots = new Set<string>()
  /** Identifies this isolate to the tenant's object. Created on first use: a Worker has no randomness while it starts. */
  #isolate = ""
  /** Turns that run elsewhere, as of the last report. */
  #elsewhere = 0
  #reportedAt = 0
  #reportDue = 0
  #sessions = 0

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

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#slots.size === 0
  }

  /** Adopts the tenant's limits. When those of requests differ, allowances that were granted under the old ones become void. */
  adopt(limits: Limits): void {
    if (this.#limits.requests_per_minute !== limits.requests_per_minute) this.#allowances.clear()
    if (this.#limits.requests_per_minute_per_key !== limits.requests_per_minute_per_key) this.#allowances.clear()
    this.#limits = limits
    this.#known = true
  }

  /** Admits or refuses one request of a key. */
  request(key: string, access: TenantAccess): Permit | Promise<Permit> {
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
    return Math.min(this.#limits.requests_per_minute, this.#limits.requests_per_minute_per_key)
  }

  get #share(): number {
    return Math.max(1, Math.floor(this.#perMinute / OPENING_DIVISOR))
  }

  /** With high limits a new minute starts with a share that is reported afterwards; null when the tenant's object must decide. */
  #startWindow(key: string, access: TenantAccess): Allowance | null {
    this.#allowances.delete(key)
    if (!this.#known || this.#perMinute < ROOMY.requests) return null
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
        this.adopt(lease.limits)
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
      this.adopt(lease.limits)
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

  /** True when the turn of a session may start. */
  beginTurn(session: string, access: TenantAccess): boolean | Promise<boolean> {
    return this.#begin(session, false, access)
  }

  /** Takes a slot for a turn that resumes: it is never refused. */
  resumeTurn(session: string, access: TenantAccess): boolean | Promise<boolean> {
    return this.#begin(session, true, access)
  }

  /** `always`: also above the limit. */
  #begin(session: string, always: boolean, access: TenantAccess): boolean | Promise<boolean> {
    const held = this.#running.has(session) || this.#slots.has(session)
    if (held) return true
    if (this.#limits.running_turns < ROOMY.turns) return this.#slot(session, always, access)
    if (!always && this.#running.size + this.#elsewhere >= this.#limits.running_turns) {
      this.#reportSoon(access)
      return false
    }
    this.#running.add(session)
    this.#reportSoon(access)
    return true
  }

  async #slot(session: string, always: boolean, { tenant }: TenantAccess): Promise<boolean> {
    try {
      const { admitted, limits } = await tenant.beginTurn({ session, always })
      if (admitted) this.#slots.add(session)
      this.adopt(limits)
      return admitted
    } catch {
      return true // the counter can't be reached
    }
  }

  /** Call when the session's turn has ended, or waits for an answer: frees its slot. */
  endTurn(session: string, access: TenantAccess): void {
    if (this.#slots.delete(session)) access.later(access.tenant.endTurn({ session }).catch(() => undefined))
    if (this.#running.delete(session)) this.#reportSoon(access)
  }

  /** Call while the session's turn runs: renews its slot. */
  renewTurn(session: string, access: TenantAccess): void {
    if (this.#slots.has(session)) {
      access.later(access.tenant.beginTurn({ session, always: true }).then(this.#learn, () => undefined))
    } else if (this.#running.has(session)) this.#reportSoon(access)
  }

  readonly #learn = ({ limits }: Admission): void => this.adopt(limits)

  /** Reports at most once a second. A timer dies with the object that set it: a later turn then sets another. */
  #reportSoon(access: TenantAccess): void {
    const now = access.now()
    if (!isStillAhead(this.#reportedAt + REPORT_MS, now, REPORT_MS)) return this.#report(access)
    if (isStillAhead(this.#reportDue + REPORT_MS, now, REPORT_MS)) return
    this.#reportDue = now + REPORT_MS
    setTimeout(() => this.#report(access), REPORT_MS)
  }

  #report({ tenant, later, now }: TenantAccess): void {
    this.#reportedAt = now()
    this.#isolate ||= crypto.randomUUID()
    const running = this.#running.size
    const reported = tenant.reportTurns({ isolate: this.#isolate, running }).then(
      ({ count, limits }) => {
        this.#elsewhere = count - running
        this.adopt(limits)
      },
      // A lost report does no harm: the next one carries the whole count.
      () => undefined,
    )
    later(reported)
  }

  /** Counts a session that is about to be created; true when it may be. */
  openSession(session: string, access: TenantAccess): boolean | Promise<boolean> {
    const { open_sessions: most } = this.#limits
    if (most < ROOMY.sessions || this.#sessions >= most) return this.#open(session, access)
    access.later(this.#open(session, access))
    return true
  }

  async #open(session: string, { tenant }: TenantAccess): Promise<boolean> {
    try {
      const always = this.#limits.open_sessions >= ROOMY.sessions && this.#sessions < this.#limits.open_sessions
      const { admitted, count, limits } = await tenant.openSession({ session, always })
      this.#sessions = count
      this.adopt(limits)
      return admitted
    } catch {
      return true // the counter can't be reached
    }
  }

  /** Call when the session was erased, or not created after all. Resolves when the tenant's object has removed it. */
  closeSession(session: string, { tenant }: TenantAccess): Promise<void> {
    this.#sessions = Math.max(0, this.#sessions - 1)
    return tenant.closeSession({ session })
  }
}
