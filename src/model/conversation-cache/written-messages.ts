// Receives the messages of a request; returns their JSON. Held messages are copied as bytes, only the others are serialized.
// Invariant: serializing costs as much as a step adds, however long the session is.
import { fromStoredText, hasMarks } from "../../schemas/log/media-mark.ts"
import { type HeldMessage, heldOf } from "./held-message.ts"
import type { ImmutableMessage } from "./immutable-message.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export interface WrittenMessages {
  /** The JSON of the messages as UTF-8, without the array's brackets. */
  readonly pieces: ReadonlyArray<Uint8Array>
  /** True when it contains media marks. */
  readonly marked: boolean
}

export const writeMessages = (messages: ReadonlyArray<ImmutableMessage>): WrittenMessages => {
  const pieces: Array<Uint8Array> = []
  let marked = false
  let text = ""
  /** A run of adjacent held messages. */
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
    // Includes the comma that follows.
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
