// Receives the messages of a request; returns their JSON, of which only what is not held is written.
// Invariant: a step costs what it adds, not what the session holds: the bytes of what is held are those of the request.
import { fromStoredText, hasMarks } from "../../schemas/log/media-mark.ts"
import { type HeldMessage, heldOf } from "./held-message.ts"
import type { ImmutableMessage } from "./immutable-message.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface WrittenMessages {
  /** The JSON of the messages, without brackets. */
  readonly pieces: ReadonlyArray<Uint8Array>
  /** True when it contains marks of media. */
  readonly marked: boolean
}

export const writeMessages = (messages: ReadonlyArray<ImmutableMessage>): WrittenMessages => {
  const pieces: Array<Uint8Array> = []
  let marked = false
  let text = ""
  /** Held messages that follow one another. */
  let run: { readonly first: HeldMessage; last: HeldMessage } | null = null
  const endText = () => {
    if (text === "") return
    marked ||= hasMarks(text)
    pieces.push(encoder.encode(text))
    text = ""
  }
  const endRun = (followed: boolean) => {
    if (run === null) return
    const { first, last } = run
    run = null
    // With the comma behind it.
    pieces.push(...heldBytes(first, last.to + (followed ? 1 : 0)))
    marked ||= first.of.marked
  }
  for (const [index, message] of messages.entries()) {
    const held = heldOf(message)
    if (held !== undefined && run?.last.of === held.of && run.last.to + 1 === held.from) {
      run.last = held
      continue
    }
    endRun(true)
    if (held === undefined) {
      text += `${JSON.stringify(message)}${index === messages.length - 1 ? "" : ","}`
      continue
    }
    endText()
    run = { first: held, last: held }
  }
  endRun(false)
  endText()
  return { pieces, marked }
}

const heldBytes = ({ from, of }: HeldMessage, to: number): ReadonlyArray<Uint8Array> => {
  const bytes = of.bytesAt(from, to)
  return of.marked ? [encoder.encode(fromStoredText(decoder.decode(Buffer.concat(bytes))))] : bytes
}
