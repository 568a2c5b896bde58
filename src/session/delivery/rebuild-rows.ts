// Receives a session whose rows in D1 are to be made again; returns what became of it.
// Invariant: if it is cut off, the outbox is behind, and the alarm sends the rest.
import type { SessionCore } from "../core.ts"
import { CHECK_INTERVAL_MS } from "../storage/alarm.ts"

export const rebuildRows = ({ context: { alarm, now }, outbox }: Pick<SessionCore, "context" | "outbox">) => {
  alarm.arm(now() + CHECK_INTERVAL_MS)
  return outbox.rebuild()
}
