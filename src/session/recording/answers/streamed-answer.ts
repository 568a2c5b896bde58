// An answer that streams while a session is recorded: its events so far, how it ended, and how much of it the log has.
// Invariant: if the process dies, the recording has as much of the answer as the log has, and says that it was cut off there.
import { type ModelAnswer } from "../../../recording/model-answer.ts"
import { StreamAnswer } from "../../../recording/stream-answer.ts"
import type { RawStreamEvent } from "../../../model/messages-api.ts"
import { EventNames, type NewEvent } from "../../../schemas/log/events.ts"
import { answerIdIn, answerOf } from "./answer-ids.ts"
import { isPlainObject } from "../../../schemas/plain-object.ts"

type End = Pick<ModelAnswer, "error" | "breaks" | "cut">

export class StreamedAnswer {
  readonly #requestId: string | null
  readonly #taken = new StreamAnswer()
  #end: (End & Pick<ModelAnswer, "last">) | null = null
  /** Blocks of it that the log has. */
  #logged = 0
  /** True when the log has its end, or nothing reads it any more. */
  #isOver = false
  /** Blocks that the recording has. */
  #written = 0
  /** True when the recording has all of it, but the log not its end. */
  #isOpen = false
  #isKept = false

  constructor(requestId: string | null) {
    this.#requestId = requestId
  }

  take(events: ReadonlyArray<RawStreamEvent> | null): void {
    this.#taken.take(events ?? [])
    if (this.#taken.isWhole || events === null) this.ended({})
  }

  /** Notes how it ended; only the first call counts. */
  ended(end: End): void {
    this.#end ??= { ...end, ...(end.error === undefined ? {} : { last: this.#taken.last }) }
  }

  /** Call it when nothing reads the answer any more. */
  left(how: End): void {
    this.ended(how)
    this.#isOver = true
  }

  /** Call it with the events that are about to be written to the log. */
  see(events: ReadonlyArray<NewEvent>): void {
    const id = answerIdIn(this.#taken.events)
    if (id === undefined) return
    for (const event of events) {
      if (event.name === EventNames.callFinished && event.payload.message_id === id) this.#isOver = true
      else if (answerOf(event) === id) this.#logged += 1
    }
    // The recording has all of it and now the log has its end, so its row needs no change.
    if (this.#isOpen && this.#isOver) this.#isKept = true
  }

  /** True when both the recording and the log have all of it. */
  get isKept(): boolean {
    return this.#isKept
  }

  get isDue(): boolean {
    return (this.#isOver && this.#end !== null) || (!this.#isOpen && this.#logged !== this.#written)
  }

  /** The answer to write now; null when the recording has it already. */
  due(): DueAnswer | null {
    if (!this.isDue) return null
    const base = { request_id: this.#requestId }
    if (this.#end === null || (!this.#isOver && !this.#isWhole))
      return { answer: { ...base, events: upTo(this.#taken.events, this.#logged), cut: "crashed" }, state: "cut" }
    const answer = { ...base, events: this.#taken.events, ...this.#end }
    return { answer, state: this.#isOver ? "final" : "open" }
  }

  /** True when it came to its end, without an error or a cut. */
  get #isWhole(): boolean {
    return this.#end !== null && this.#end.error === undefined && this.#end.cut === undefined
  }

  /** Call it once the answer of `due` is written. */
  written(): void {
    this.#written = this.#logged
    this.#isOpen = this.#isWhole
  }
}

/**
 * `final`: nothing more will come. `open`: nothing more will come either, but the log has only blocks of it so far; if the
 * process dies before the log has the end, `endCutOff` cuts it. `cut`: only as much of it as the log has.
 */
interface DueAnswer {
  readonly answer: ModelAnswer
  readonly state: "final" | "open" | "cut"
}

/** The events up to the end of the first `blocks` blocks, as the log counts them: it leaves blank texts out. */
export const upTo = (events: ReadonlyArray<RawStreamEvent>, blocks: number): ReadonlyArray<RawStreamEvent> => {
  const texts = new Map<unknown, string>()
  let left = blocks
  for (const [at, event] of events.entries()) {
    const { index, content_block: block, delta } = event
    if (event.type === "content_block_start" && isPlainObject(block) && block["type"] === "text")
      texts.set(index, String(block["text"] ?? ""))
    if (event.type === "content_block_delta" && isPlainObject(delta) && texts.has(index))
      texts.set(index, `${texts.get(index)}${String(delta["text"] ?? "")}`)
    if (event.type !== "content_block_stop" || texts.get(index)?.trim() === "") continue
    left -= 1
    if (left === 0) return events.slice(0, at + 1)
  }
  return events
}
