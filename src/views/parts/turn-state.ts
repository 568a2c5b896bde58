// What the fold of one turn keeps between two events: its messages, its open answers and calls, and what new messages carry.
// Invariant: only the folds of this folder change it, each by the event that it is given.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import { type HeldMessage, type OpenCall, TurnMessages } from "./turn-messages.ts"

export class TurnState {
  readonly sessionId: string
  readonly turn: string
  readonly messages: TurnMessages
  /** The id of the prompt's message; empty until it is opened. */
  promptId = ""
  /** The user message that a thread answers, by the thread's parent tool call (null: the main thread). */
  readonly asked = new Map<string | null, string>()
  /** Assistant messages that are still answered, by the API's message id. */
  readonly answers = new Map<string, HeldMessage>()
  /** Calls without a result, by their id. */
  readonly calls = new Map<string, OpenCall>()
  /** Retries whose answer has not come. */
  retries: ReadonlyArray<LogEvent<"sdk:system/api_retry">> = []
  /** The tree after the last step that changed files. */
  snapshot: string | null = null
  model: string
  permissionMode: PermissionMode
  cwd = "/"
  root = "/"

  constructor(
    sessionId: string,
    turn: string,
    { model, permissionMode }: LogEvent<"turn:queued">["payload"]["options"],
  ) {
    this.sessionId = sessionId
    this.turn = turn
    this.messages = new TurnMessages(sessionId, turn)
    // Until the turn's `system/init` names the model and mode in use.
    this.model = typeof model === "string" ? model : "default"
    // The options were checked when the prompt was accepted.
    this.permissionMode = (permissionMode as PermissionMode | undefined) ?? "default"
  }
}
