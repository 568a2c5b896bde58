// Receives the events of a session for a requested run, whose prompt may be queued; returns the frames of the run. While the
// prompt is queued behind a turn that asks for an answer, it starts the run early and reports the ask.
// Invariant: the run starts once; a client that has sent the answer with the run is not asked for it.
import type { AskOpened } from "../../schemas/log/ask-events.ts"
import { framesOf, type LiveView, type ViewEvent } from "../live/live-view.ts"
import type { Frame } from "../sdk.ts"
import type { AgUiEvent } from "./ag-ui-event.ts"
import type { AgUiView } from "./ag-ui-view.ts"
import { interruptOf } from "./interrupts.ts"
import type { RequestedRun } from "./requested-run.ts"

export class QueuedRunView implements LiveView {
  readonly #view: AgUiView
  readonly #run: RequestedRun
  #isQueued = false
  /** True while a `RUN_STARTED` was sent that the view is yet to return. */
  #isEarly = false

  constructor(view: AgUiView, run: RequestedRun) {
    this.#view = view
    this.#run = run
  }

  get ended(): boolean {
    return this.#view.ended
  }

  apply(event: ViewEvent): ReadonlyArray<Frame> {
    const frames = this.#view.apply(event)
    if (frames.length > 0) return this.#withoutStart(frames)
    const { begins } = this.#run
    if (event.name === "turn:queued" && "turn" in begins && begins.turn === event.turn) this.#isQueued = true
    if (event.name !== "ask:opened" || !this.#isQueued || event.turn === null) return frames
    return this.#waits(event, event.turn, event.payload)
  }

  gone(): ReadonlyArray<Frame> {
    return this.#withoutStart(this.#view.gone())
  }

  /** The first frame of the requested run is its `RUN_STARTED`, which more frames follow. */
  #withoutStart(frames: ReadonlyArray<Frame>): ReadonlyArray<Frame> {
    const isEarly = this.#isEarly
    this.#isQueued = false
    this.#isEarly = false
    return isEarly ? frames.slice(1) : frames
  }

  #waits({ seq, at }: ViewEvent, turnId: string, ask: AskOpened): ReadonlyArray<Frame> {
    const { threadId, runId, parentRunId, answered } = this.#run
    if (ask.detached === true || answered.has(ask.tool_use_id)) return []
    const parent = parentRunId === undefined ? {} : { parentRunId }
    const start: AgUiEvent = { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0", ...parent }
    const waiting: AgUiEvent = { type: "CUSTOM", name: "waiting", value: { turnId, ...interruptOf(ask) } }
    const events = this.#isEarly ? [waiting] : [start, waiting]
    this.#isEarly = true
    return framesOf(
      seq,
      events.map((one) => ({ ...one, timestamp: at })),
    )
  }
}
