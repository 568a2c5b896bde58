// Failed sign-ins by address: receives each failure, returns whether an address has had too many in this minute.
// Invariant: a few failures cost no call; what an address does over many isolates is counted in an object of its own.
import type { Env } from "../schemas/env.ts"
import { DEFAULT_LIMITS, WINDOW_MS } from "../schemas/limits.ts"
import { deploymentLimits } from "./deployment-limits.ts"

/** Failures of an address that an isolate keeps to itself. */
const UNREPORTED_FAILURES = 3
const MAX_ADDRESSES = 5000

interface Failures {
  count: number
  /** Failures that were not reported to the address's object yet. */
  unreported: number
  until: number
}

const addresses = new Map<string, Failures>()

export interface SignInAccess {
  readonly env: Pick<Env, "TENANTS" | "PERCH_LIMITS">
  readonly address: string | null
  readonly later: (work: Promise<unknown>) => void
}

/** A request without an address, as some local servers get them. */
const nameOf = (address: string | null): string => address ?? "local"

/** When the address may fail again (milliseconds since 1970), or null while it may. */
export const blockedUntil = ({ env, address }: SignInAccess, now: number): number | null => {
  const failures = addresses.get(nameOf(address))
  if (failures === undefined || failures.until <= now) return null
  const { failed_sign_ins_per_minute: most } = deploymentLimits(env) ?? DEFAULT_LIMITS
  return failures.count >= most ? failures.until : null
}

/** Counts a sign-in that failed. */
export const noteFailure = ({ env, address, later }: SignInAccess, now: number): void => {
  const name = nameOf(address)
  const known = addresses.get(name)
  const failures =
    known !== undefined && known.until > now ? known : { count: 0, unreported: 0, until: now + WINDOW_MS }
  if (failures !== known) {
    addresses.delete(name)
    if (addresses.size >= MAX_ADDRESSES) addresses.delete(addresses.keys().next().value ?? "")
    addresses.set(name, failures)
  }
  failures.count += 1
  failures.unreported += 1
  if (failures.count <= UNREPORTED_FAILURES || blockedUntil({ env, address, later }, now) !== null) return
  const { unreported } = failures
  failures.unreported = 0
  const reported = env.TENANTS.getByName(`address:${name}`).failedSignIns({ count: unreported })
  later(
    reported.then(
      ({ count, until }) => {
        failures.count = Math.max(failures.count, count)
        failures.until = until
      },
      // The isolate goes on with what it has counted itself.
      () => undefined,
    ),
  )
}
