// What each part of `TenantLoad` receives: access to the tenant's object with each call, and the tenant's limits as this isolate
// knows them.
import type { Limits, TenantRpc } from "../schemas/limits.ts"

/** The tenant's object, and `later`, which keeps the caller alive for calls that nothing waits for. */
export interface TenantAccess {
  readonly tenant: TenantRpc
  readonly later: (work: Promise<unknown>) => void
  readonly now: () => number
}

/** A tenant's limits in this isolate. */
export interface KnownLimits {
  readonly limits: Limits
  /** False until the tenant's own limits have been received. */
  readonly isKnown: boolean
  /** Adopts the tenant's limits, as its object has returned them. */
  adopt(limits: Limits): void
}
