// A session whose process dies, and what the next process makes of it.
import type { Booted, SessionHarness } from "../session/session-harness.ts"

/**
 * Runs what `begin` starts, kills the process after `dieAfter` commits, and runs the rest in another one. `died` is false if
 * there were fewer commits.
 */
export const runKilled = async <A>(harness: SessionHarness, dieAfter: number, begin: (booted: Booted) => A) => {
  const first = harness.boot()
  const begun = begin(first)
  harness.transactions = 0
  harness.dieAfter = dieAfter
  await first.idle()
  const died = harness.transactions >= dieAfter
  harness.crash()
  const booted = harness.boot()
  await booted.idle()
  return { begun, booted, died }
}
