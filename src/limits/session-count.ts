// Receives the sessions of a tenant that are created and erased; admits them at once while there is clearly room, and asks the
// tenant's object otherwise.
// Invariants: with little room the tenant's object decides about every session; while it can't be reached, none is refused.
import type { TenantAccess, KnownLimits } from "./tenant-access.ts"

/** With a limit of at least this, an isolate admits first and reports to the tenant's object afterwards. */
const ROOMY = 10_000

export class SessionCount {
  readonly #tenant: KnownLimits
  /** The tenant's sessions, as its object counted them last. */
  #count = 0

  constructor(tenant: KnownLimits) {
    this.#tenant = tenant
  }

  /** Counts a session that is about to be created; true when it may be. */
  open(session: string, access: TenantAccess): boolean | Promise<boolean> {
    const { open_sessions: most } = this.#tenant.limits
    if (most < ROOMY || this.#count >= most) return this.#ask(session, access)
    access.later(this.#ask(session, access))
    return true
  }

  async #ask(session: string, { tenant }: TenantAccess): Promise<boolean> {
    try {
      const always = this.#tenant.limits.open_sessions >= ROOMY && this.#count < this.#tenant.limits.open_sessions
      const { admitted, count, limits } = await tenant.openSession({ session, always })
      this.#count = count
      this.#tenant.adopt(limits)
      return admitted
    } catch {
      return true // the counter can't be reached
    }
  }

  /** Call when the session was erased, or not created after all. Resolves when the tenant's object has removed it. */
  close(session: string, { tenant }: TenantAccess): Promise<void> {
    this.#count = Math.max(0, this.#count - 1)
    return tenant.closeSession({ session })
  }
}
