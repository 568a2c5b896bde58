// The run that the AG-UI view shows now, from its `RUN_STARTED` to its end.
import type { RunUsage } from "./run-usage.ts"

export interface ShownRun {
  readonly turn: string
  readonly id: string
  /** How many steps it has shown; one for each model request of the main thread. */
  steps: number
  /** The id of the answer of the step that is open; null between steps. */
  step: string | null
  readonly usage: RunUsage
}
