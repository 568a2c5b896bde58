// The state of one turn's fold between two events: its messages, its open answers and calls, and values that new messages copy.
// Invariant: only the folds of this folder change it, and only in response to an event.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { PermissionMode } from "../../schemas/sdk/options/permissions.ts"
import type { AnswerStart } from "./part-ids.ts"
import { type OpenMessage, type OpenCall, TurnMessages } from "./turn-messages.ts"

export class TurnState {
  readonly sessionId: string
  readonly turn: string
  readonly messages: TurnMessages
  /** The id of the prompt's message; empty until it is opened. */
  promptId = ""
  /** The user message that a thread answers, by the thread's parent tool call (null: the main thread). */
  readonly asked = new Map<string | null, string>()
  /** Assistant messages whose requests have not ended, by the API's message id. */
  readonly answers = new Map<string, OpenMessage>()
  /** The start of the next answer of each thread. */
  readonly #starts = new Map<string | null, AnswerStart>()
  /** Whether the main thread's last event is followed by a model request whose answer has not arrived. */
  #isAsked = false
  /** Calls without a result, by their id. */
  readonly calls = new Map<string, OpenCall>()
  /** Retries since the last answer. */
  retries: ReadonlyArray<LogEvent<"sdk:system/api_retry">> = []
  /** Digest of the file tree after the last step that changed files. */
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
    // These defaults apply until the turn's `system/init` names the model and the mode in use.
    this.model = typeof model === "string" ? model : "default"
    // The options were checked when the prompt was accepted.
    this.permissionMode = (permissionMode as PermissionMode | undefined) ?? "default"
  }

  /** Call it after every event, because the event may be the last one before a model request. */
  noteStart(event: LogEvent): void {
    if (!endsRequests(event)) return
    this.#starts.set(event.parent_tool_use_id, { event, nth: 0 })
    if (event.parent_tool_use_id === null) this.#isAsked = event.name !== EventNames.callFinished
  }

  /** The start of the thread's next answer; the place after `event` if the thread has no earlier event. */
  nextStart(thread: string | null, event?: LogEvent): AnswerStart | undefined {
    return this.#starts.get(thread) ?? (event === undefined ? undefined : { event, nth: 0 })
  }

  /** The start of an answer of the main thread that was requested and has not arrived; undefined if there is none. */
  get unanswered(): AnswerStart | undefined {
    return this.#isAsked ? this.#starts.get(null) : undefined
  }

  /** Call it when an answer was opened at `start`. */
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
 * Whether the event can only occur between two requests of a thread, and never between the start of an answer and its first stored
 * block. So readers of the stream and readers of the log agree on the last event before an answer.
 */
const endsRequests = (event: LogEvent): boolean =>
  event.name === EventNames.callFinished ? event.payload.purpose === undefined : BETWEEN_REQUESTS.has(event.name)
