// The stream of one run: first a frame with the run's ids, then the frames of the format `reply`, finally its result.
// Invariant: the result's frame has the id of the run's last event; events of other turns are not sent.
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import { logEventOf } from "../live/view-event.ts"
import type { LiveView, ViewEvent } from "../live/live-view.ts"
import type { SessionBase } from "../live/session-base.ts"
import type { ReplyOptions } from "../reply/reply-runs.ts"
import { replyView } from "../reply/reply-view.ts"
import type { Frame } from "../sdk.ts"
import { type FoldedRun, RunFold } from "./run-fold.ts"

export interface RunOfView extends FoldedRun {
  readonly runId: string
}

export class RunView implements LiveView {
  readonly #run: RunOfView
  readonly #steps: LiveView
  readonly #fold: RunFold

  constructor(run: RunOfView, base: SessionBase, settings: ReplySettings = {}) {
    this.#run = run
    this.#steps = replyView({ sessionId: run.sessionId, base, options: {} })
    this.#fold = new RunFold(run, base.options as ReplyOptions, settings) // checked when the session accepted them
  }

  opened(): ReadonlyArray<Frame> {
    const { runId, sessionId, turn } = this.#run
    return [{ id: null, data: JSON.stringify({ type: "run", runId, sessionId, turnId: turn }) }]
  }

  apply(event: ViewEvent): ReadonlyArray<Frame> {
    if (this.#fold.isOver || (event.turn !== null && event.turn !== this.#run.turn)) return []
    const frames = this.#steps.apply(event)
    const isBefore = event.seq !== null && event.seq < this.#run.firstSeq
    const stored = logEventOf(event)
    if (stored !== null) this.#fold.apply(stored)
    if (isBefore) return []
    if (!this.#fold.isOver) return frames
    return [...frames.map((frame) => ({ ...frame, id: null })), this.#result(event.seq)]
  }

  /** Ends the run with its partial result, because the session was erased. */
  gone(): ReadonlyArray<Frame> {
    if (this.#fold.isOver) return []
    this.#fold.erased()
    return [this.#result(null)]
  }

  #result(id: number | null): Frame {
    const { runId, sessionId } = this.#run
    return { id, data: JSON.stringify({ type: "result", runId, sessionId, result: this.#fold.result() }) }
  }
}
