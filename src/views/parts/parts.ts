// Receives the log's events in order; keeps the messages of turns that can still change as `{info, parts[]}`.
// Invariant: a pure fold. The same events produce the same messages in any split, and a fold from `settledBefore()` on produces
// the same as a fold from the first event on. After a turn's `result` its messages are final.
// A log whose head was moved is folded along the head's path: pass only the events of that path, including each `head:moved`.
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import type { Message, ToolPart } from "../../schemas/parts.ts"
import type { AnswerToCome } from "./answer-parts.ts"
import type { Printed } from "./call-parts.ts"
import type { TrackedMessage } from "./turn-messages.ts"
import { TurnParts } from "./turn-parts.ts"

/** Increment it when the same log is folded to different ids or parts: each session's next flush then rewrites its rows in D1. */
export const PROJECTION_VERSION = 3

export class PartsProjection {
  readonly #sessionId: string
  readonly #turns = new Map<string, TurnParts>()
  /** seq of the last event that was folded in; -1 before the first. */
  #lastSeq = -1

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  /** Folds one event in; returns the ids of the messages that it changed. An event that is already in changes nothing. */
  apply(event: LogEvent): ReadonlyArray<string> {
    if (event.seq <= this.#lastSeq) return []
    this.#lastSeq = event.seq
    if (event.name === EventNames.headMoved) this.#cut(event)
    if (event.turn === null) return []
    if (event.name === EventNames.turnCancelled && this.queuedPrompt(event.turn) !== undefined)
      this.#turns.delete(event.turn)
    const joined = event.name === EventNames.turnJoined ? this.#turns.get(event.payload.turn)?.join(event) : undefined
    // The mentions of a prompt that joins the turn belong to that prompt's own message.
    const about = event.name === EventNames.promptMentioned ? event.payload.prompt : event.turn
    const turn = this.#turns.get(about)
    if (turn !== undefined) return [...(joined ?? []), ...turn.apply(event)]
    // The turn began before this fold: its messages are final and must not change.
    if (event.name !== EventNames.turnQueued) return joined ?? []
    const queued = new TurnParts(this.#sessionId, event.turn, event)
    this.#turns.set(event.turn, queued)
    return [...queued.messages()].map(({ info }) => info.id)
  }

  /** Call it when the head has moved, so no turn is running: ends open turns, and removes prompts whose turns had not begun. */
  #cut(event: LogEvent): void {
    for (const [id, turn] of this.#turns) {
      if (turn.begun) turn.cut(event)
      else this.#turns.delete(id)
    }
  }

  /** The id of a prompt's message while its turn has not begun; `turn:cancelled` removes that message. */
  queuedPrompt(turn: string): string | undefined {
    const queued = this.#turns.get(turn)
    return queued === undefined || queued.begun ? undefined : queued.promptId
  }

  /** Whether any prompt is waiting for its turn to begin. */
  get hasQueued(): boolean {
    return [...this.#turns.values()].some((turn) => !turn.begun)
  }

  message(id: string): Message | undefined {
    for (const turn of this.#turns.values()) {
      const tracked = turn.message(id)
      if (tracked !== undefined) return messageOf(tracked)
    }
    return undefined
  }

  /** The answer that a stream event of a turn's main thread belongs to: its ids and parts as they are, or will be, in the log. */
  answerToCome(turn: string, piece: Parameters<TurnParts["answerToCome"]>[0]): AnswerToCome | undefined {
    return this.#turns.get(turn)?.answerToCome(piece)
  }

  /** The message id of an answer of a turn's main thread that was requested and has not arrived. */
  unanswered(turn: string): string | undefined {
    return this.#turns.get(turn)?.unanswered
  }

  /** The id of the message that contains the part of an open call. */
  messageOfCall(call: string): string | undefined {
    for (const turn of this.#turns.values()) {
      const message = turn.messageOfCall(call)
      if (message !== undefined) return message
    }
    return undefined
  }

  /** The part of an open call, with its output so far. */
  printingCall(turn: string, call: string, printed: Printed): ToolPart | undefined {
    return this.#turns.get(turn)?.printingCall(call, printed)
  }

  /** The messages in memory, in the order in which they were opened. */
  messages(): ReadonlyArray<Message> {
    return this.#tracked().map(messageOf)
  }

  /** The messages in memory, each with the seq of the event that opened it. */
  placedMessages(): ReadonlyArray<{ readonly position: number; readonly message: Message }> {
    return this.#tracked().map((tracked) => ({ position: tracked.position, message: messageOf(tracked) }))
  }

  /** The messages that an event from `seq` on has changed, with the seq of each change. */
  changedSince(seq: number): ReadonlyArray<TrackedMessage> {
    return this.#tracked().filter(({ infoSeq, parts }) => infoSeq >= seq || parts.some((part) => part.seq >= seq))
  }

  /** A fold of the log may start at this seq: earlier events are not needed to continue. */
  settledBefore(): number {
    const open = [...this.#turns.values()].filter((turn) => !turn.finished)
    return Math.min(this.#lastSeq + 1, ...open.map((turn) => turn.firstSeq))
  }

  /** Drops messages that no later event can change and whose last change is not after `throughSeq` (they have been stored). */
  dropFlushed(throughSeq: number): void {
    for (const [id, turn] of this.#turns) {
      if (!turn.finished) turn.free(throughSeq)
      else if (turn.lastChange <= throughSeq) this.#turns.delete(id)
    }
  }

  #tracked(): ReadonlyArray<TrackedMessage> {
    // Turns overlap, so their messages are sorted: the message of a queued prompt is opened while another turn is running.
    return [...this.#turns.values()].flatMap((turn) => [...turn.messages()]).toSorted((a, b) => a.position - b.position)
  }
}

const messageOf = ({ info, parts }: TrackedMessage): Message => ({ info, parts: parts.map(({ part }) => part) })
