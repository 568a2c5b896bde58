// Failed sign-ins by address: receives each failure, returns whether an address has had too many in this minute.
// Invariant: a few failures cost no call; failures of one address in many isolates are added up in an object of its own.
import type { Env } from "../schemas/env.ts"
import { DEFAULT_LIMITS, WINDOW_MS } from "../schemas/limits.ts"
import { deploymentLimits } from "./deployment-limits.ts"
import { isStillAhead } from "./still-ahead.ts"

/** An isolate does not report the first failures of an address, up to this number. */
const UNREPORTED_FAILURES = 3
const MAX_ADDRESSES = 5000

interface Failures {
  count: number
  /** Failures that have not been reported to the address's object yet. */
  unreported: number
  until: number
}

const addresses = new Map<string, Failures>()

export interface SignInAccess {
  readonly env: Pick<Env, "TENANTS" | "PERCH_LIMITS">
  readonly address: string | null
  readonly later: (work: Promise<unknown>) => void
}

/** Some local servers get requests without an address: they all count as `local`. */
const nameOf = (address: string | null): string => address ?? "local"

/** When the address may fail again (milliseconds since 1970), or null while it may. */
export const blockedUntil = ({ env, address }: SignInAccess, now: number): number | null => {
  const failures = addresses.get(nameOf(address))
  if (failures === undefined || !isStillAhead(failures.until, now, WINDOW_MS)) return null
  const { failed_sign_ins_per_minute: most } = deploymentLimits(env) ?? DEFAULT_LIMITS
  return failures.count >= most ? failures.until : null
}

/** Counts a sign-in that failed. */
export const noteFailure = ({ env, address, later }: SignInAccess, now: number): void => {
  const name = nameOf(address)
  const known = addresses.get(name)
  const failures =
    known !== undefined && isStillAhead(known.until, now, WINDOW_MS)
      ? known
      : { count: 0, unreported: 0, until: now + WINDOW_MS }
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
      // Without an answer the isolate continues with its own count.
      () => undefined,
    ),
  )
}
