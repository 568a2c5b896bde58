// Receives events of a session in their order; returns what is left of a run when it has ended: its reply, and what tools have sent.
// Invariant: events that are not stored change nothing of it, so that the fold of a stream is the fold of the log.
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { ViewEvent } from "../live/live-view.ts"
import type { SendTarget } from "./messaging-sends.ts"
import { type ReplyOptions, ReplyRuns } from "./reply-runs.ts"
import type { ReplyPayload } from "./reply-steps.ts"

export class ReplyFold {
  readonly #runs: ReplyRuns

  /** `session`: the session's options; `own`: settings of the caller, which win. */
  constructor(session: ReplyOptions = {}, own: ReplySettings = {}) {
    this.#runs = new ReplyRuns(session, own)
  }

  apply(event: ViewEvent): void {
    if (event.seq !== null) this.#runs.apply(event)
  }

  /** The reply of the run that was last, also while it goes on and when it was stopped. */
  get payloads(): ReadonlyArray<ReplyPayload> {
    return this.#runs.reply?.payloads ?? []
  }

  get didSendViaMessagingTool(): boolean {
    return this.messagingToolSentTexts.length > 0
  }

  get messagingToolSentTexts(): ReadonlyArray<string> {
    return this.#runs.reply?.sends.texts ?? []
  }

  get messagingToolSentTargets(): ReadonlyArray<SendTarget> {
    return this.#runs.reply?.sends.targets ?? []
  }
}
