// The objects of tenants in memory: the real counts, without a Durable Object around them.
import { deploymentLimits } from "../../../src/limits/deployment-limits.ts"
import { type Codes, SignInCodes } from "../../../src/limits/sign-in-codes.ts"
import { TenantBook } from "../../../src/limits/tenant-book.ts"
import {
  DEFAULT_LIMITS,
  type LimitSettings,
  type TenantNamespace,
  type TenantRpc,
} from "../../../src/schemas/limits.ts"

export class FakeTenants implements TenantNamespace {
  readonly #tenants = new Map<string, TenantRpc>()
  readonly #settings: { readonly PERCH_LIMITS?: string }
  readonly #now: () => number
  /** Calls so far, by method. */
  readonly calls = new Map<string, number>()

  constructor(settings: { readonly PERCH_LIMITS?: string } = {}, now: () => number = Date.now) {
    this.#settings = settings
    this.#now = now
  }

  getByName(name: string): TenantRpc {
    const known = this.#tenants.get(name) ?? this.#make()
    this.#tenants.set(name, known)
    return known
  }

  #make(): TenantRpc {
    let own: LimitSettings = {}
    const ids = new Set<string>()
    const limits = () => ({ ...(deploymentLimits(this.#settings) ?? DEFAULT_LIMITS), ...own })
    const sessions = {
      has: (id: string) => ids.has(id),
      add: (id: string) => void ids.add(id),
      remove: (id: string) => void ids.delete(id),
      page: (after: string, limit: number) =>
        [...ids]
          .filter((id) => id > after)
          .toSorted()
          .slice(0, limit),
      get count() {
        return ids.size
      },
    }
    const book = new TenantBook(sessions, limits, this.#now)
    let stored: Codes = []
    const codes = new SignInCodes({ read: () => stored, write: (next) => (stored = next) }, this.#now)
    const counted = <A>(method: string, value: () => A): Promise<A> => {
      this.calls.set(method, (this.calls.get(method) ?? 0) + 1)
      return Promise.resolve().then(value)
    }
    return {
      lease: ({ key, wanted }) => counted("lease", () => book.lease(key, wanted)),
      beginTurn: ({ session, always }) => counted("beginTurn", () => book.beginTurn(session, always)),
      endTurn: ({ session }) => counted("endTurn", () => book.endTurn(session)),
      reportTurns: ({ isolate, running }) => counted("reportTurns", () => book.reportTurns(isolate, running)),
      openSession: ({ session, always }) => counted("openSession", () => book.openSession(session, always)),
      closeSession: ({ session }) => counted("closeSession", () => book.closeSession(session)),
      sessions: ({ after, limit }) => counted("sessions", () => book.sessions(after, limit)),
      limits: () => counted("limits", () => ({ own, limits: limits(), used: book.use })),
      setLimits: (next) =>
        counted("setLimits", () => {
          own = next
          book.restart()
          return { own, limits: limits(), used: book.use }
        }),
      failedSignIns: ({ count }) => counted("failedSignIns", () => book.failedSignIns(count)),
      offerCode: ({ hash }) => counted("offerCode", () => codes.offer(hash)),
      takeCode: ({ hash }) => counted("takeCode", () => codes.take(hash)),
    }
  }
}
