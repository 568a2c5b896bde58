// Receives the answers of a recording and the chunks of their requests; returns a reader for playbacks.
// Invariant: every returned answer has its chunks expanded.
import * as Effect from "effect/Effect"
import { answerKey, type RecordedAnswer, type Recording, type RecordingReader } from "./recording.ts"
import { nearestOf } from "./missing/nearest.ts"
import { expanded, type Json } from "./request-hash.ts"

export const memoryReader = ({ answers, chunks }: Pick<Recording, "answers" | "chunks">): RecordingReader => {
  const known = new Map(answers.map((answer) => [answerKey(answer), answer]))
  const chunkOf = (hash: string): Json | undefined => (Object.hasOwn(chunks, hash) ? chunks[hash] : undefined)
  const whole = (answer: RecordedAnswer | undefined): RecordedAnswer | null =>
    answer === undefined
      ? null
      : { ...answer, request: expanded(answer.request, chunkOf), response: expanded(answer.response, chunkOf) }
  return {
    find: (kind, hash, ordinal) => Effect.sync(() => whole(known.get(answerKey({ kind, hash, ordinal })))),
    nearest: (kind, request) => Effect.sync(() => whole(nearestOf(answers, kind, request, chunkOf))),
  }
}
