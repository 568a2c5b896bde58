// Receives the log's events in order; keeps what the model was last sent about plan mode.
// Invariant: a session that is never in plan mode has no such state.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"

/** The state in which the model believes that plan mode applies. */
export interface KnownPlanMode {
  /** The rules that the model was sent. */
  readonly rules: string
  /** How many turns have begun since the rules, or the last reminder of them, were sent. */
  readonly turns: number
}

export class PlanMemory {
  /** Null when the model does not believe that plan mode applies. */
  known: KnownPlanMode | null = null

  apply(event: LogEvent): void {
    if (event.name === EventNames.planReminded) {
      const { kind, text } = event.payload
      if (kind === "rules") this.known = { rules: text, turns: 0 }
      else this.known = kind === "still" && this.known !== null ? { ...this.known, turns: 0 } : null
    }
    if (event.name === "sdk:system/init" && this.known !== null)
      this.known = { ...this.known, turns: this.known.turns + 1 }
    if (event.name === EventNames.conversationRestarted && event.payload.cause !== "media") this.known = null
  }

  /** To be called when ExitPlanMode has succeeded: the model learns from its result that plan mode is over. */
  accepted(): void {
    this.known = null
  }
}
