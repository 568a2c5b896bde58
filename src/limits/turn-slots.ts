// Receives the turns that start and end in this isolate; admits them at once while there is clearly room, and asks the tenant's
// object for a slot otherwise.
// Invariants: with little room the tenant's object decides about every turn; while it can't be reached, none is refused that it
// would have to decide about.
import type { Admission } from "../schemas/limits.ts"
import { isStillAhead } from "./still-ahead.ts"
import type { TenantAccess, KnownLimits } from "./tenant-access.ts"

/** With a limit of at least this, an isolate admits first and reports to the tenant's object afterwards. */
const ROOMY = 500
const REPORT_MS = 1000

export class TurnSlots {
  readonly #tenant: KnownLimits
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

  constructor(tenant: KnownLimits) {
    this.#tenant = tenant
  }

  /** True when no turn of the tenant runs in this isolate. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#slots.size === 0
  }

  /** True when the turn of a session may start. */
  begin(session: string, access: TenantAccess): boolean | Promise<boolean> {
    return this.#begin(session, false, access)
  }

  /** Takes a slot for a turn that resumes: it is never refused. */
  resume(session: string, access: TenantAccess): boolean | Promise<boolean> {
    return this.#begin(session, true, access)
  }

  /** `always`: also above the limit. */
  #begin(session: string, always: boolean, access: TenantAccess): boolean | Promise<boolean> {
    const hasSlot = this.#running.has(session) || this.#slots.has(session)
    if (hasSlot) return true
    if (this.#tenant.limits.running_turns < ROOMY) return this.#slot(session, always, access)
    if (!always && this.#running.size + this.#elsewhere >= this.#tenant.limits.running_turns) {
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
      this.#tenant.adopt(limits)
      return admitted
    } catch {
      return true // the counter can't be reached
    }
  }

  /** Call when the session's turn has ended, or waits for an answer: frees its slot. */
  end(session: string, access: TenantAccess): void {
    if (this.#slots.delete(session)) access.later(access.tenant.endTurn({ session }).catch(() => undefined))
    if (this.#running.delete(session)) this.#reportSoon(access)
  }

  /** Call while the session's turn runs: renews its slot. */
  renew(session: string, access: TenantAccess): void {
    if (this.#slots.has(session)) {
      access.later(access.tenant.beginTurn({ session, always: true }).then(this.#learn, () => undefined))
    } else if (this.#running.has(session)) this.#reportSoon(access)
  }

  readonly #learn = ({ limits }: Admission): void => this.#tenant.adopt(limits)

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
        this.#tenant.adopt(limits)
      },
      // A lost report does no harm: the next one carries the whole count.
      () => undefined,
    )
    later(reported)
  }
}
