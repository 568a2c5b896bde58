// The messages of one turn while they are built: each piece with the seq of the event that last changed it.
// Invariant: parts are only appended to a message or replaced in place.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { MessageInfo, Part, ToolPart, ToolState } from "../../schemas/parts.ts"
import { answerPartId, type AnswerStart, partViewId } from "./part-ids.ts"

/** A message with the event that opened it, its turn, and the last event that changed each piece. */
export interface TrackedMessage {
  /** seq of the event that opened the message; messages of a session are ordered by it. */
  readonly position: number
  readonly turn: string
  readonly info: MessageInfo
  readonly infoSeq: number
  /** seq of the event that made it part of the conversation; null for a prompt whose turn has not begun. */
  readonly since: number | null
  readonly parts: ReadonlyArray<{ readonly part: Part; readonly seq: number }>
}

/** A message that later events may still change. */
export interface OpenMessage extends TrackedMessage {
  info: MessageInfo
  infoSeq: number
  since: number | null
  readonly parts: Array<{ part: Part; seq: number }>
  /** Number of calls in this message that have no result. */
  openCalls: number
  callFinished: boolean
  /** When the request was sent, in milliseconds since 1970; null until it has ended. */
  requestedAt: number | null
  /** For the answer of a model request: where it starts, and how many of its blocks are stored. */
  answer?: { readonly start: AnswerStart; blocks: number }
}

/** A call without a result, with the message and the index of its part. */
export interface OpenCall {
  readonly message: OpenMessage
  readonly index: number
  startedAt: number
}

export class TurnMessages {
  readonly #sessionId: string
  readonly #turn: string
  readonly #open = new Map<string, OpenMessage>()
  #changed = new Set<string>()
  #place = 0

  constructor(sessionId: string, turn: string) {
    this.#sessionId = sessionId
    this.#turn = turn
  }

  /** The messages in memory, in the order in which they were opened. */
  all(): Iterable<OpenMessage> {
    return this.#open.values()
  }

  get(id: string): OpenMessage | undefined {
    return this.#open.get(id)
  }

  /** Call it before each event: resets `changed` and the counter for part ids. */
  beginEvent(): void {
    this.#place = 0
    this.#changed = new Set()
  }

  /** Ids of the messages that the current event has changed so far. */
  get changed(): ReadonlySet<string> {
    return this.#changed
  }

  /** Drops the answers that no later event can change and whose last change is not after `throughSeq`. */
  free(throughSeq: number): void {
    const last = this.lastAnswer()
    for (const [id, message] of this.#open) {
      const final = message.callFinished && message.openCalls === 0 && message !== last
      if (final && message.infoSeq <= throughSeq && message.parts.every(({ seq }) => seq <= throughSeq))
        this.#open.delete(id)
    }
  }

  /** The main thread's last answer, which gets the error when the turn is interrupted. */
  lastAnswer(): OpenMessage | undefined {
    return [...this.#open.values()].findLast(
      ({ info }) => info.role === "assistant" && info.sdk.parentToolUseId === undefined,
    )
  }

  /** Opens a message and keeps it in memory. */
  open(event: LogEvent, info: MessageInfo): OpenMessage {
    const place = { position: event.seq, turn: this.#turn }
    const message: OpenMessage = {
      ...place,
      info,
      infoSeq: event.seq,
      since: event.seq,
      parts: [],
      openCalls: 0,
      callFinished: false,
      requestedAt: null,
    }
    this.#open.set(info.id, message)
    this.#changed.add(info.id)
    return message
  }

  /** The ids of the part for an answer's step, or with `block` for its n-th block. */
  answerBase({ info }: { readonly info: { readonly id: string } }, start: AnswerStart, block?: number) {
    return { id: answerPartId(start, block), sessionID: this.#sessionId, messageID: info.id }
  }

  /** The ids of a new part of the message; its own id is the next of the event's. */
  base(event: LogEvent, message: OpenMessage): { id: string; sessionID: string; messageID: string } {
    return { id: partViewId("prt", event, this.#place++), sessionID: this.#sessionId, messageID: message.info.id }
  }

  /** Appends a part to the message. */
  push(event: LogEvent, message: OpenMessage, part: Part): void {
    message.parts.push({ part, seq: event.seq })
    this.#changed.add(message.info.id)
  }

  /** Replaces the part at `index`. */
  replace(event: LogEvent, message: OpenMessage, index: number, part: Part): void {
    message.parts[index] = { part, seq: event.seq }
    this.#changed.add(message.info.id)
  }

  setInfo(event: LogEvent, message: OpenMessage, info: MessageInfo): void {
    message.info = info
    message.infoSeq = event.seq
    this.#changed.add(info.id)
  }

  setState(event: LogEvent, call: OpenCall, part: ToolPart, state: ToolState): void {
    this.replace(event, call.message, call.index, { ...part, state })
  }
}

/** The texts of a message, joined by newlines. */
export const textOf = ({ parts }: OpenMessage): string =>
  parts.flatMap(({ part }) => (part.type === "text" ? [part.text] : [])).join("\n")

/** A call's part: `calls` only ever points at tool parts. */
export const toolOf = (call: OpenCall): ToolPart => call.message.parts[call.index]!.part as ToolPart
