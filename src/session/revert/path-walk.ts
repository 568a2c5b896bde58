// Receives a session's log and a place in it; walks the conversation from there along its head's path.
// Invariant: at each step it knows the messages and parts that were opened so far, and the calls that had no result yet.
import type { PayloadOf } from "../../schemas/log/event-payloads.ts"
import { EventNames, type LogEvent } from "../../schemas/log/events.ts"
import { PartsProjection } from "../../views/parts/parts.ts"
import type { HeadPath } from "../../schemas/log/head-path.ts"
import type { SessionLog } from "../storage/log.ts"

/** An event that opens a message (`partID` is null), or adds a part to one. */
export interface Opening {
  readonly seq: number
  readonly turn: string | null
  readonly messageID: string
  readonly partID: string | null
  /** True for a text or a call: an answer without either is no answer. */
  readonly hasContent: boolean
}

/** A call of the main thread that has no result yet; `seq` is the event that has the call. */
interface OpenCall {
  readonly seq: number
  readonly turn: string | null
  readonly answer: string | undefined
}

interface Block {
  readonly type: string
  readonly id?: string
  readonly tool_use_id?: string
}

export class PathWalk {
  /** The messages and parts that were opened so far, including by the last event. */
  readonly openings: Array<Opening> = []
  /** seq of the event that has a call, by the call's id; calls of subagents are included. */
  readonly callSeqs = new Map<string, number>()
  readonly #path: HeadPath
  readonly #events: ReturnType<SessionLog["all"]>
  readonly #fold: PartsProjection
  readonly #parts = new Map<string, number>()
  readonly #open = new Map<string, OpenCall>()
  #last: LogEvent | null = null

  /** Starts after the event `after`, which must not be inside a turn that is of interest. */
  constructor(log: SessionLog, path: HeadPath, session: string, after: number) {
    this.#path = path
    this.#events = log.all(after)
    this.#fold = new PartsProjection(session)
  }

  /**
   * Walks to the next event for which `stop` returns true. Returns undefined if there is none up to the end of the log, or, with
   * `near`, up to the end of the turns that were open at that event.
   */
  to(
    stop: (event: LogEvent, opened: ReadonlyArray<Opening>) => boolean,
    near = Number.POSITIVE_INFINITY,
  ): LogEvent | undefined {
    for (let next = this.#events.next(); next.done !== true; next = this.#events.next()) {
      const { event } = next.value
      if (!this.#path.has(event.seq)) continue
      if (this.#last !== null) this.#countCalls(this.#last)
      this.#last = event
      const opened = this.#opened(event)
      this.openings.push(...opened)
      if (stop(event, opened)) return event
      if (event.seq >= near && this.#fold.settledBefore() > event.seq) return undefined
    }
    return undefined
  }

  /** seq of each event with a call of the turn that had no result before the last event, in their order. */
  openCallsOf(turn: string | null): ReadonlyArray<number> {
    return [...this.#open.values()].filter((call) => call.turn === turn).map(({ seq }) => seq)
  }

  #opened(event: LogEvent): ReadonlyArray<Opening> {
    const opened: Array<Opening> = []
    const { seq, turn } = event
    for (const messageID of this.#fold.apply(event)) {
      const known = this.#parts.get(messageID)
      const parts = this.#fold.message(messageID)?.parts ?? []
      if (known === undefined) opened.push({ seq, turn, messageID, partID: null, hasContent: false })
      for (const { id, type } of parts.slice(known ?? 0))
        opened.push({ seq, turn, messageID, partID: id, hasContent: type === "text" || type === "tool" })
      this.#parts.set(messageID, parts.length)
    }
    if (event.turn !== null && this.#fold.settledBefore() > seq) this.#fold.dropFlushed(seq)
    return opened
  }

  #countCalls(event: LogEvent): void {
    const { name, seq, turn, payload } = event
    if (name === EventNames.agentStarted) this.#noteThread(payload)
    if (name === EventNames.toolSkipped) this.#open.delete(payload.tool_use_id)
    if (name === EventNames.callFinished && payload.wasted) this.#dropAnswer(payload.message_id)
    if (name !== "sdk:assistant" && name !== "sdk:user") return
    const { content } = payload.message
    // The API's blocks, as it sent them.
    for (const block of Array.isArray(content) ? (content as ReadonlyArray<Block>) : []) {
      if (block.type === "tool_result") this.#open.delete(block.tool_use_id ?? "")
      if (block.type !== "tool_use" || block.id === undefined) continue
      this.callSeqs.set(block.id, seq)
      if (event.parent_tool_use_id === null && name === "sdk:assistant")
        this.#open.set(block.id, { seq, turn, answer: payload.message.id })
    }
  }

  /** A subagent in the background has a thread of its own. */
  #noteThread({ thread, tool_use_id: call }: PayloadOf<"agent:started">): void {
    const seq = this.callSeqs.get(call)
    if (seq !== undefined) this.callSeqs.set(thread, seq)
  }

  /** For an answer that is requested again: calls of the first attempt are not in the conversation. */
  #dropAnswer(answer: string): void {
    for (const [id, call] of this.#open) if (call.answer === answer) this.#open.delete(id)
  }
}
