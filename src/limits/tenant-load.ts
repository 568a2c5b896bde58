// What this isolate knows of a tenant's use of its limits: receives requests, turns and sessions that are to begin; lets
// them in at once while there is clearly room, and asks the tenant's object otherwise.
// Invariants: with little room every admission is the object's own; a counter that can't be reached refuses nothing; no
// promise is shared between requests.
import type { Env } from "../schemas/env.ts"
import { type Admission, DEFAULT_LIMITS, type Limits, type TenantRpc, WINDOW_MS } from "../schemas/limits.ts"
import { deploymentLimits } from "./deployment-limits.ts"

/** From these limits on an isolate admits first and reports to the tenant's object afterwards. */
const ROOMY = { requests: 1000, turns: 500, sessions: 10_000 } as const
/** An isolate lets in one part in so many of a minute's requests before it has read what is left. */
const OPENING_SHARE = 50
const REPORT_MS = 1000
const MAX_TENANTS = 5000
const MAX_KEYS = 1000

/** How a caller reaches the tenant's object, and keeps itself alive for calls that nothing waits for. */
export interface TenantAccess {
  readonly tenant: TenantRpc
  readonly later: (work: Promise<unknown>) => void
  readonly now: () => number
}

/** Whether a request may go on, and what its key has left in this minute. */
export interface Permit {
  readonly admitted: boolean
  readonly limit: number
  readonly left: number
  readonly until: number
}

interface Allowance {
  left: number
  /** What the tenant's object can still grant. */
  rest: number
  until: number
  asking: boolean
}

const loads = new Map<string, TenantLoad>()

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
  /** Names this isolate to the tenant's object. Made when it is needed: while a Worker starts it has no randomness. */
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

  /** False while the tenant's own limits have not come yet. */
  get isKnown(): boolean {
    return this.#known
  }

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#slots.size === 0
  }

  /** Takes over the tenant's limits. Permits that were granted under others are void. */
  adopt(limits: Limits): void {
    if (this.#limits.requests_per_minute !== limits.requests_per_minute) this.#allowances.clear()
    if (this.#limits.requests_per_minute_per_key !== limits.requests_per_minute_per_key) this.#allowances.clear()
    this.#limits = limits
    this.#known = true
  }

  // ---- requests

  /** Takes a permit for a request of a key. */
  request(key: string, access: TenantAccess): Permit | Promise<Permit> {
    const now = access.now()
    const share = this.#share
    const known = this.#allowances.get(key)
    const allowance = known !== undefined && known.until > now ? known : this.#startWindow(key, access)
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
    return Math.max(1, Math.floor(this.#perMinute / OPENING_SHARE))
  }

  /** A new minute of a tenant with room begins with a share that is reported afterwards; null: the tenant's object must decide. */
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

  /** `taken` is what the isolate has allowed itself before it asked. */
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
      // Requests that asked at the same time may have been granted more than they take.
      allowance.left += lease.granted
      if (allowance.left <= 0) return this.#permit(allowance, false)
      allowance.left -= 1
      return this.#permit(allowance, true)
    } catch {
      // The counter can't be reached.
      return this.#permit(before ?? { left: 0, rest: 0, until: now() + WINDOW_MS, asking: false }, true)
    }
  }

  #permit({ left, rest, until }: Allowance, admitted: boolean): Permit {
    return { admitted, limit: this.#perMinute, left: left + rest, until }
  }

  // ---- turns

  /** Lets the turn of a session begin; `always` for one that has begun before and goes on. True when it may. */
  beginTurn(session: string, always: boolean, access: TenantAccess): boolean | Promise<boolean> {
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

  /** The session's turn has ended, or waits for an answer. */
  endTurn(session: string, access: TenantAccess): void {
    if (this.#slots.delete(session)) access.later(access.tenant.endTurn({ session }).catch(() => undefined))
    if (this.#running.delete(session)) this.#reportSoon(access)
  }

  /** The session's turn runs still. */
  renewTurn(session: string, access: TenantAccess): void {
    if (this.#slots.has(session)) {
      access.later(access.tenant.beginTurn({ session, always: true }).then(this.#learn, () => undefined))
    } else if (this.#running.has(session)) this.#reportSoon(access)
  }

  readonly #learn = ({ limits }: Admission): void => this.adopt(limits)

  /** At most one report a second. A timer dies with the object that set it: a later turn then sets another. */
  #reportSoon(access: TenantAccess): void {
    const now = access.now()
    if (now - this.#reportedAt >= REPORT_MS) return this.#report(access)
    if (now < this.#reportDue + REPORT_MS) return
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
      // The next report carries the same count.
      () => undefined,
    )
    later(reported)
  }

  // ---- sessions

  /** Counts a session that is about to be made. True when it may be. */
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

  /** The session was erased, or was not made after all. Resolves when the tenant's object knows it. */
  closeSession(session: string, { tenant }: TenantAccess): Promise<void> {
    this.#sessions = Math.max(0, this.#sessions - 1)
    return tenant.closeSession({ session })
  }
}
