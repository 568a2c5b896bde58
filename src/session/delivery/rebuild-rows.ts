// Rebuilds the D1 rows of a session from its log; returns the outcome.
// Invariant: if it is interrupted, the outbox is behind and the alarm sends the rest.
import type { SessionCore } from "../core.ts"
import { CHECK_INTERVAL_MS } from "../storage/alarm.ts"

export const rebuildRows = ({ context: { alarm, now }, outbox }: Pick<SessionCore, "context" | "outbox">) => {
  alarm.arm(now() + CHECK_INTERVAL_MS)
  return outbox.rebuild()
}
