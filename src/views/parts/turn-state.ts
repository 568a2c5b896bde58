// What the fold of one turn keeps between two events: its messages, its open answers and calls, and what new messages carry.
// Invariant: only the folds of this folder change it, each by the event that it is given.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import type { AnswerStart } from "./part-ids.ts"
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
  /** Where the next answer of each thread begins. */
  readonly #starts = new Map<string | null, AnswerStart>()
  /** Whether the main thread's last event is one that asks for an answer. */
  #isAsked = false
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

  /** Call it behind every event: it may be the last one before a request. */
  noteStart(event: LogEvent): void {
    if (!endsRequests(event)) return
    this.#starts.set(event.parent_tool_use_id, { event, nth: 0 })
    if (event.parent_tool_use_id === null) this.#isAsked = event.name !== EventNames.callFinished
  }

  /** Where the next answer of the thread begins; behind `event` if nothing of the thread is known. */
  nextStart(thread: string | null, event?: LogEvent): AnswerStart | undefined {
    return this.#starts.get(thread) ?? (event === undefined ? undefined : { event, nth: 0 })
  }

  /** Where an answer of the main thread was asked for that has not come; undefined when none was. */
  get unanswered(): AnswerStart | undefined {
    return this.#isAsked ? this.#starts.get(null) : undefined
  }

  /** An answer was opened there. */
  useStart(thread: string | null, start: AnswerStart): void {
    this.#starts.set(thread, { ...start, nth: start.nth + 1 })
    if (thread === null) this.#isAsked = false
  }
}

const BETWEEN_REQUESTS: ReadonlySet<string> = new Set([
  EventNames.turnQueued,
  EventNames.turnJoined,
  "sdk:system/init",
  "sdk:system/api_retry",
  "sdk:system/compact_boundary",
  "sdk:user",
])

/**
 * Whether a thread has the event between two of its requests alone: never after an answer has begun and before its first block is
 * stored. So a reader of the stream and a reader of the log take the same event for the last one.
 */
const endsRequests = (event: LogEvent): boolean =>
  event.name === EventNames.callFinished ? event.payload.purpose === undefined : BETWEEN_REQUESTS.has(event.name)
