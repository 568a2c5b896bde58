// Receives a function that formats a step; returns the view of a session's runs that sends each step in that format.
// Invariant: the steps that are sent are numbered from 1 in each run.
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { LiveView, ViewEvent } from "../live/live-view.ts"
import type { Frame } from "../sdk.ts"
import { type ReplyOptions, ReplyRuns } from "./reply-runs.ts"
import type { ReplyStep, RunStep } from "./reply-steps.ts"
import { StepSender } from "./step-sender.ts"

/** A step with its run, its time and its number in the run. */
interface PlacedStep {
  readonly runId: string
  readonly seq: number
  readonly ts: number
  readonly step: ReplyStep
}

/** Returns the data that is sent for a step; null for a step that is not sent. */
export type ShowStep = (placed: PlacedStep) => Readonly<Record<string, unknown>> | null

export class StepsView implements LiveView {
  readonly #runs: ReplyRuns
  readonly #show: ShowStep
  readonly #sender = new StepSender()

  constructor(session: ReplyOptions, own: ReplySettings, show: ShowStep) {
    this.#runs = new ReplyRuns(session, own)
    this.#show = show
  }

  apply(event: ViewEvent): ReadonlyArray<Frame> {
    const texts = this.#runs.apply(event).flatMap((step) => this.#textOf(step) ?? [])
    return texts.map((data, index) => ({ id: index === texts.length - 1 ? event.seq : null, data }))
  }

  #textOf(made: RunStep): string | null {
    if (made === "commit") this.#sender.commit()
    else if (made === "rollback") this.#sender.rollback()
    else
      return this.#sender.send(made.runId, (seq) => {
        const shown = this.#show({ ...made, seq })
        return shown === null ? null : JSON.stringify(shown)
      })
    return null
  }
}
