// Receives events of a session in order; returns the outcome of its last run: its reply, and the messages that tools have sent.
// Invariant: ephemeral events do not change the outcome, so that the fold of a stream equals the fold of the log.
import type { ReplySettings } from "../../schemas/interop/reply-settings.ts"
import type { ViewEvent } from "../live/live-view.ts"
import type { SendTarget } from "./messaging-sends.ts"
import { type ReplyOptions, ReplyRuns } from "./reply-runs.ts"
import type { ReplyPayload } from "./reply-steps.ts"

export class ReplyFold {
  readonly #runs: ReplyRuns

  /** `session` are the session's options, `own` the caller's settings, which take precedence. */
  constructor(session: ReplyOptions = {}, own: ReplySettings = {}) {
    this.#runs = new ReplyRuns(session, own)
  }

  apply(event: ViewEvent): void {
    if (event.seq !== null) this.#runs.apply(event)
  }

  /** The reply of the latest run, also while that is running and after it was stopped. */
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
