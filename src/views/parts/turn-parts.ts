// Receives the events of one turn in order, its `turn:queued` first; keeps the turn's messages as `{info, parts[]}`.
// Invariant: a pure fold over those events. Parts are only appended or replaced in place, and nothing changes after the
// turn's `result`.
import { EventNames, isTurnResult, type LogEvent } from "../../schemas/log/events.ts"
import { addAnswerPiece, type AnswerToCome, answerToCome, finishAnswer } from "./answer-parts.ts"
import type { AssistantInfo, ToolPart, UserInfo } from "../../schemas/parts.ts"
import { addViolations, interruptCalls, type Printed, printingCall, startCall } from "./call-parts.ts"
import { addPatch, addSnapshot } from "./file-parts.ts"
import { addMentions, addSubtask } from "./mention-parts.ts"
import { stopErrorOf } from "./part-errors.ts"
import { answerId } from "./part-ids.ts"
import type { OpenMessage, TrackedMessage } from "./turn-messages.ts"
import { TurnState } from "./turn-state.ts"
import { addCompaction, addUserMessage, beginPrompt, markReset, openPrompt } from "./user-parts.ts"

/** The event of a subagent's message that is withheld from clients of the SDK: views of parts show it like any other. */
const withheldMessage = (event: LogEvent<"message:withheld">): LogEvent | null => {
  const { event: name, message, shown } = event.payload
  // The message that clients see instead of it follows.
  if (shown !== undefined) return null
  // `message` is the payload that the withheld event would have had.
  return name === "sdk:assistant" || name === "sdk:user"
    ? ({ ...event, name, payload: message } as unknown as LogEvent)
    : null
}

/** The turn's tools by name; nothing for a client's own `system/init` that does not list them. */
const toolsOf = (names: ReadonlyArray<string> | undefined): Pick<UserInfo, "tools"> =>
  Array.isArray(names) ? { tools: Object.fromEntries(names.map((name) => [name, true])) } : {}

export class TurnParts {
  readonly firstSeq: number
  readonly #state: TurnState
  readonly #prompt: OpenMessage
  #finished = false
  #lastChange: number

  /** `queued` is the turn's `turn:queued`. */
  constructor(sessionId: string, turn: string, queued: LogEvent<"turn:queued">) {
    this.firstSeq = queued.seq
    this.#lastChange = queued.seq
    this.#state = new TurnState(sessionId, turn, queued.payload.options)
    this.#prompt = openPrompt(this.#state, queued)
    this.#state.noteStart(queued)
  }

  get finished(): boolean {
    return this.#finished
  }

  /** seq of the last event that changed a message. */
  get lastChange(): number {
    return this.#lastChange
  }

  /** The messages in memory, in the order in which they were opened. */
  messages(): Iterable<TrackedMessage> {
    return this.#state.messages.all()
  }

  message(id: string): TrackedMessage | undefined {
    return this.#state.messages.get(id)
  }

  /** Folds one event in; returns the ids of the messages that it changed. */
  apply(event: LogEvent): ReadonlyArray<string> {
    return this.#change(event, () => {
      const shown = event.name === EventNames.messageWithheld ? (withheldMessage(event) ?? event) : event
      this.#fold(shown)
      this.#state.noteStart(shown)
    })
  }

  /** Makes the changes of one event, unless the turn has finished; returns the ids of the changed messages. */
  #change(event: LogEvent, change: () => void): ReadonlyArray<string> {
    if (this.#finished) return []
    const { messages } = this.#state
    messages.beginEvent()
    change()
    if (messages.changed.size > 0) this.#lastChange = event.seq
    return [...messages.changed]
  }

  /** The main thread's answer that the stream event `piece` belongs to. */
  answerToCome(piece: Parameters<typeof answerToCome>[1]): AnswerToCome | undefined {
    return this.#finished ? undefined : answerToCome(this.#state, piece)
  }

  /** The message id of an answer of the main thread that was requested and has not arrived. */
  get unanswered(): string | undefined {
    const start = this.#finished ? undefined : this.#state.unanswered
    return start === undefined ? undefined : answerId(start)
  }

  /** The id of the message that contains the part of an open call. */
  messageOfCall(call: string): string | undefined {
    return this.#state.calls.get(call)?.message.info.id
  }

  /** The part of an open call, with its output so far. */
  printingCall(call: string, printed: Printed): ToolPart | undefined {
    const open = this.#state.calls.get(call)
    return open === undefined ? undefined : printingCall(open, printed)
  }

  /** The id of the prompt's message. */
  get promptId(): string {
    return this.#prompt.info.id
  }

  /** Whether the prompt is part of the conversation: a queued prompt is not, until its turn begins. */
  get begun(): boolean {
    return this.#prompt.since !== null
  }

  /** The prompt joined another turn and shares its outcome; this turn has no further events. */
  join(event: LogEvent): ReadonlyArray<string> {
    return this.#change(event, () => {
      beginPrompt(this.#state, event, this.#prompt)
      this.#finished = true
    })
  }

  /** The head has moved to a place within this turn: whatever is still open in it is ended. */
  cut(event: LogEvent): void {
    this.#change(event, () => this.#end(event))
  }

  /** Drops the answers that no later event can change and whose last change is not after `throughSeq`. */
  free(throughSeq: number): void {
    this.#state.messages.free(throughSeq)
  }

  #fold(event: LogEvent): void {
    const state = this.#state
    switch (event.name) {
      case "sdk:system/init":
        return this.#init(event)
      case "sdk:system/status":
        state.permissionMode = event.payload.permissionMode ?? state.permissionMode
        return
      case "sdk:system/api_retry":
        state.retries = [...state.retries, event]
        return
      case "sdk:system/compact_boundary":
        return addCompaction(state, event)
      case "sdk:conversation_reset":
        return markReset(state, event, this.#prompt)
      case "sdk:assistant":
        beginPrompt(state, event, this.#prompt)
        return addAnswerPiece(state, event)
      case "sdk:user":
        return addUserMessage(state, event)
      case EventNames.hookFired:
        return startCall(state, event)
      case EventNames.callFinished:
        return finishAnswer(state, event)
      case EventNames.promptMentioned:
        return addMentions(state, event, this.#prompt)
      case EventNames.agentStarted:
        return addSubtask(state, event, this.#prompt)
      case EventNames.sandboxViolated:
        return addViolations(state, event)
      case EventNames.snapshotTaken:
        return addSnapshot(state, event)
      case EventNames.turnPatched:
        return addPatch(state, event, this.#prompt)
      default:
        if (isTurnResult(event) || event.name === EventNames.turnImported) this.#end(event)
    }
  }

  #init(event: LogEvent<"sdk:system/init">): void {
    const init = event.payload
    const state = this.#state
    beginPrompt(state, event, this.#prompt)
    state.model = init.model
    state.permissionMode = init.permissionMode
    state.cwd = init.cwd
    state.root = init.original_cwd ?? init.cwd
    const { info } = this.#prompt
    if (info.role !== "user") return
    const model = { providerID: "anthropic", modelID: init.model }
    state.messages.setInfo(event, this.#prompt, {
      ...info,
      model,
      permissionMode: init.permissionMode,
      ...toolsOf(init.tools),
    })
  }

  /** Ends the turn: completes its messages and open calls. If the turn has failed, the last answer gets the error. */
  #end(event: LogEvent): void {
    const { messages } = this.#state
    const error = event.name === "sdk:result/error_during_execution" ? stopErrorOf(event.payload) : undefined
    const stopped = error === undefined ? undefined : messages.lastAnswer()
    beginPrompt(this.#state, event, this.#prompt)
    interruptCalls(this.#state, event)
    for (const message of messages.all()) {
      if (message.info.role !== "assistant") continue
      let info: AssistantInfo = message.info
      if (info.time.completed === undefined) info = { ...info, time: { ...info.time, completed: event.at } }
      if (error !== undefined && message === stopped) {
        info = { ...info, error: info.error ?? error, finish: info.finish ?? "cancelled" }
      }
      if (info !== message.info) messages.setInfo(event, message, info)
    }
    this.#finished = true
  }
}
