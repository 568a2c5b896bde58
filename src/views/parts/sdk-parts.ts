// Receives SDKMessages as a client of the SDK receives or sends them, in order; returns the same `{info, parts[]}` messages
// that a session's own log produces, by the same fold.
// Invariant: pure; ids and times are functions of the messages. Facts that no SDKMessage contains stay unknown: costs are
// marked `unpriced`. The other losses are listed in schemas/sdk/adapters/message-adapter.ts.
import type { CallFinished, TurnQueued } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent, sdkEventName } from "../../schemas/log/events.ts"
import type { SdkMessage } from "../../schemas/sdk/adapters/message-adapter.ts"
import { isResultMessage } from "../../schemas/sdk/messages/type-guards.ts"
import { blocksIn } from "../../schemas/sdk/messages/blocks.ts"
import { isToolResult } from "./part-of-block.ts"
import { SYNTHETIC_MODEL } from "../../schemas/sdk/messages/synthetic-model.ts"

/**
 * The conversation as events: each prompt opens a turn, each `result` ends it, each answer's usage is a finished call.
 * In a conversation without any `result` (as the SDK's `getSessionMessages` returns it), each user message directly after an
 * answer is a prompt.
 */
export const sdkMessagesToEvents = (sessionId: string, messages: Iterable<SdkMessage>): ReadonlyArray<LogEvent> => {
  const all = [...messages]
  const log = new Conversation(sessionId, all.some(isResultMessage))
  for (const message of all) log.add(message)
  return log.end()
}

/** The fields of an SDKMessage that are read. Each is checked before use, because clients send these messages. */
interface Seen {
  readonly uuid?: unknown
  readonly session_id?: unknown
  readonly timestamp?: unknown
  readonly parent_tool_use_id?: unknown
  readonly isReplay?: unknown
  readonly isSynthetic?: unknown
  readonly message?: {
    readonly id?: unknown
    readonly model?: unknown
    readonly content?: unknown
    readonly stop_reason?: unknown
    readonly usage?: unknown
  }
}

const textOr = <A>(value: unknown, other: A): string | A => (typeof value === "string" ? value : other)

class Conversation {
  readonly #sessionId: string
  readonly #events: Array<LogEvent> = []
  #turn: string | null = null
  #at = 0
  /** Messages that arrived before the turn that they belong to: `system/init` precedes the prompt's echo. */
  #waiting: Array<{ readonly name: string; readonly uuid: string; readonly message: SdkMessage }> = []
  /** The newest piece of the current answer of each thread. */
  readonly #answers = new Map<string | null, { readonly seen: Seen; readonly uuid: string }>()
  #count = 0
  /** Whether turns end with a `result`. */
  readonly #hasResults: boolean
  /** Whether the main thread's last message is an answer. */
  #answered = false

  constructor(sessionId: string, hasResults: boolean) {
    this.#sessionId = sessionId
    this.#hasResults = hasResults
  }

  add(given: SdkMessage): void {
    // Safe: every field of `Seen` is unknown.
    const seen = given as Seen
    const uuid = textOr(seen.uuid, `message-${this.#count++}`)
    const message: SdkMessage = { ...given, uuid, session_id: textOr(seen.session_id, this.#sessionId) }
    const time = Date.parse(textOr(seen.timestamp, ""))
    if (Number.isFinite(time)) this.#at = Math.max(this.#at, time)
    const thread = textOr(seen.parent_tool_use_id, null)
    switch (message.type) {
      case "system":
        if (this.#turn === null) this.#waiting.push({ name: sdkEventName(message), uuid, message })
        else this.#push(sdkEventName(message), uuid, message, thread)
        return
      case "assistant":
        if (this.#answers.get(thread)?.seen.message?.id !== seen.message?.id) this.#finish(thread)
        this.#answers.set(thread, { seen, uuid })
        this.#inTurn(message, uuid, thread)
        if (thread === null) this.#answered = true
        return
      case "user":
        if (this.#isPrompt(seen, thread)) return this.#open(uuid, seen.message?.content)
        if (thread === null) this.#answered = false
        return this.#inTurn(message, uuid, thread)
      case "result":
        this.#finishAll()
        this.#inTurn(message, uuid, thread)
        this.#turn = null
    }
  }

  end(): ReadonlyArray<LogEvent> {
    this.#finishAll()
    if (this.#waiting.length > 0) this.#open(`turn-of-${this.#waiting[0]!.uuid}`, [])
    return this.#events
  }

  #inTurn(message: SdkMessage, uuid: string, thread: string | null): void {
    if (this.#turn === null) this.#open(`turn-of-${uuid}`, [])
    this.#push(sdkEventName(message), uuid, message, thread)
  }

  /** True for a user's prompt: outside a turn, or replayed (`isReplay`). Other user messages inside a turn are the loop's own. */
  #isPrompt(seen: Seen, thread: string | null): boolean {
    if (thread !== null || seen.isSynthetic === true) return false
    const blocks = blocksIn(seen.message?.content)
    if (blocks.length === 0 || blocks.some(isToolResult)) return false
    return this.#turn === null || seen.isReplay === true || (!this.#hasResults && this.#answered)
  }

  #open(turn: string, content: unknown): void {
    this.#finishAll()
    this.#turn = turn
    this.#answered = false
    const prompt = typeof content === "string" ? content : [...blocksIn(content)]
    const queued: TurnQueued = { prompt, options: {}, imported: true }
    this.#push(EventNames.turnQueued, turn, queued, null)
    for (const { name, uuid, message } of this.#waiting.splice(0)) this.#push(name, uuid, message, null)
  }

  #finishAll(): void {
    for (const thread of this.#answers.keys()) this.#finish(thread)
  }

  /** Ends the answer of a thread: adds a `call:finished` with its usage. */
  #finish(thread: string | null): void {
    const answer = this.#answers.get(thread)
    this.#answers.delete(thread)
    const { id, model, usage, stop_reason } = answer?.seen.message ?? {}
    if (answer === undefined || model === SYNTHETIC_MODEL) return
    const finished: CallFinished = {
      message_id: textOr(id, answer.uuid),
      request_id: null,
      model: textOr(model, ""),
      stop_reason: textOr(stop_reason, null),
      usage: typeof usage === "object" && usage !== null ? { ...usage } : {},
      usd: null,
      price_version: "",
      duration_ms: 0,
      wasted: false,
    }
    this.#push(EventNames.callFinished, `call-of-${answer.uuid}`, finished, thread)
  }

  #push(name: string, uuid: string, payload: object, parent_tool_use_id: string | null): void {
    const seq = this.#events.length + 1
    const event = { seq, name, uuid, turn: this.#turn, parent_tool_use_id, at: this.#at, payload }
    // The name of a message is made of its type, and Perch's own facts are made above.
    this.#events.push(event as LogEvent)
  }
}
