// Receives the rows of a recording; returns its JSON document piece by piece: each signal, answer and chunk is a line.
// Invariant: only one row at a time is in memory, and the same rows always make the same bytes.
import type { Part, RecordingRows } from "../stores/recording-rows.ts"

const encoder = new TextEncoder()

/** How many characters are sent together. */
const PIECE = 64 * 1024

/** The pieces of a recording's document, about 64 Ki characters each. The recording must exist. */
export function* documentPieces(rows: RecordingRows, id: string, metadata: string): Generator<Uint8Array> {
  let waiting = ""
  for (const text of documentTexts(rows, id, metadata)) {
    waiting += text
    if (waiting.length < PIECE) continue
    yield encoder.encode(waiting)
    waiting = ""
  }
  yield encoder.encode(waiting)
}

function* documentTexts(rows: RecordingRows, id: string, metadata: string): Generator<string> {
  yield `{"metadata":${metadata},\n"signals":[`
  yield* itemsOf(rows, id, "signal")
  yield `],\n"checkpoints":[`
  yield* itemsOf(rows, id, "checkpoint")
  yield `],\n"answers":[`
  yield* itemsOf(rows, id, "answer")
  yield `],\n"chunks":{`
  yield* itemsOf(rows, id, "chunk")
  yield "}}\n"
}

function* itemsOf(rows: RecordingRows, id: string, part: Part): Generator<string> {
  let isFirst = true
  for (const { key, json } of rows.texts(id, part)) {
    yield isFirst ? "\n" : ",\n"
    isFirst = false
    if (part === "chunk") yield `${JSON.stringify(key)}:`
    yield json
  }
}
