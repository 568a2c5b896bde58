// The messages of one turn as they are built: each piece with the seq of the event that changed it last.
// Invariant: parts are only added at a message's end or replaced where they are.
import type { LogEvent } from "../../schemas/log/events.ts"
import type { MessageInfo, Part, ToolPart, ToolState } from "../../schemas/parts.ts"
import { answerPartId, type AnswerStart, partViewId } from "./part-ids.ts"

/** A message with the event that opened it, its turn, and the last event that changed each piece. */
export interface TrackedMessage {
  /** seq of the event that opened the message: its place in the session. */
  readonly position: number
  readonly turn: string
  readonly info: MessageInfo
  readonly infoSeq: number
  /** seq of the event since which it is part of the conversation; null of a prompt whose turn has not begun. */
  readonly since: number | null
  readonly parts: ReadonlyArray<{ readonly part: Part; readonly seq: number }>
}

export interface HeldMessage extends TrackedMessage {
  info: MessageInfo
  infoSeq: number
  since: number | null
  readonly parts: Array<{ part: Part; seq: number }>
  /** Calls in this message without a result. */
  openCalls: number
  callFinished: boolean
  /** When the request was sent, in milliseconds since 1970; null until it has ended. */
  requestedAt: number | null
  /** Of an answer that a request made: where it begins, and how many of its blocks are stored. */
  answer?: { readonly start: AnswerStart; blocks: number }
}

/** A call without a result, and where its part is. */
export interface OpenCall {
  readonly held: HeldMessage
  readonly index: number
  startedAt: number
}

export class TurnMessages {
  readonly #sessionId: string
  readonly #turn: string
  readonly #held = new Map<string, HeldMessage>()
  #changed = new Set<string>()
  #place = 0

  constructor(sessionId: string, turn: string) {
    this.#sessionId = sessionId
    this.#turn = turn
  }

  /** The messages held, in the order in which they were opened. */
  all(): Iterable<HeldMessage> {
    return this.#held.values()
  }

  get(id: string): HeldMessage | undefined {
    return this.#held.get(id)
  }

  /** Begins the next event: no message has changed by it. */
  beginEvent(): void {
    this.#place = 0
    this.#changed = new Set()
  }

  /** Ids of the messages that the event has changed so far. */
  get changed(): ReadonlySet<string> {
    return this.#changed
  }

  /** Forgets the answers that no later event can change and whose last change is not after `throughSeq`. */
  free(throughSeq: number): void {
    const last = this.lastAnswer()
    for (const [id, held] of this.#held) {
      const final = held.callFinished && held.openCalls === 0 && held !== last
      if (final && held.infoSeq <= throughSeq && held.parts.every(({ seq }) => seq <= throughSeq)) this.#held.delete(id)
    }
  }

  /** The main thread's last answer: the one that an interrupt marks. */
  lastAnswer(): HeldMessage | undefined {
    return [...this.#held.values()].findLast(
      ({ info }) => info.role === "assistant" && info.sdk.parentToolUseId === undefined,
    )
  }

  /** Opens a message. */
  hold(event: LogEvent, info: MessageInfo): HeldMessage {
    const place = { position: event.seq, turn: this.#turn }
    const held: HeldMessage = {
      ...place,
      info,
      infoSeq: event.seq,
      since: event.seq,
      parts: [],
      openCalls: 0,
      callFinished: false,
      requestedAt: null,
    }
    this.#held.set(info.id, held)
    this.#changed.add(info.id)
    return held
  }

  /** What the part of an answer's step, or of its n-th block, begins with. */
  answerBase({ info }: { readonly info: { readonly id: string } }, start: AnswerStart, block?: number) {
    return { id: answerPartId(start, block), sessionID: this.#sessionId, messageID: info.id }
  }

  /** What every part of the message begins with; its id is the next of the event's. */
  base(event: LogEvent, held: HeldMessage): { id: string; sessionID: string; messageID: string } {
    return { id: partViewId("prt", event, this.#place++), sessionID: this.#sessionId, messageID: held.info.id }
  }

  /** Adds a part at the message's end. */
  push(event: LogEvent, held: HeldMessage, part: Part): void {
    held.parts.push({ part, seq: event.seq })
    this.#changed.add(held.info.id)
  }

  /** Puts another part in the place of the one at `index`. */
  replace(event: LogEvent, held: HeldMessage, index: number, part: Part): void {
    held.parts[index] = { part, seq: event.seq }
    this.#changed.add(held.info.id)
  }

  setInfo(event: LogEvent, held: HeldMessage, info: MessageInfo): void {
    held.info = info
    held.infoSeq = event.seq
    this.#changed.add(info.id)
  }

  setState(event: LogEvent, call: OpenCall, part: ToolPart, state: ToolState): void {
    this.replace(event, call.held, call.index, { ...part, state })
  }
}

/** A call's part: `calls` only ever points at tool parts. */
export const toolOf = (call: OpenCall): ToolPart => call.held.parts[call.index]!.part as ToolPart
