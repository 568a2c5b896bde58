// Receives the answers of a recording and the chunks of their requests; returns them as a playback reads them.
// Invariant: what is returned has its chunks in their places.
import * as Effect from "effect/Effect"
import type { AnswerKind, RecordedAnswer, Recording, RecordingReader } from "./recording.ts"
import { expanded, isList, type Json } from "./request-hash.ts"
import { isPlainObject } from "../schemas/plain-object.ts"

export const memoryReader = ({ answers, chunks }: Pick<Recording, "answers" | "chunks">): RecordingReader => {
  const known = new Map(answers.map((answer) => [`${answer.kind} ${answer.hash} ${answer.ordinal}`, answer]))
  const chunkOf = (hash: string): Json | undefined => (Object.hasOwn(chunks, hash) ? chunks[hash] : undefined)
  const whole = (answer: RecordedAnswer | undefined): RecordedAnswer | null =>
    answer === undefined
      ? null
      : { ...answer, request: expanded(answer.request, chunkOf), response: expanded(answer.response, chunkOf) }
  return {
    find: (kind, hash, ordinal) => Effect.sync(() => whole(known.get(`${kind} ${hash} ${ordinal}`))),
    nearest: (kind, request) => Effect.sync(() => whole(nearestOf(answers, kind, request, chunkOf))),
  }
}

/** The answer of this kind whose request has most in common with `request`; of several the first. */
export const nearestOf = (
  answers: Iterable<RecordedAnswer>,
  kind: AnswerKind,
  request: Json,
  chunkOf: (hash: string) => Json | undefined,
): RecordedAnswer | undefined => {
  let best: { readonly answer: RecordedAnswer; readonly likeness: number } | undefined
  for (const answer of answers) {
    if (answer.kind !== kind) continue
    const likeness = likenessOf(expanded(answer.request, chunkOf), request)
    if (best === undefined || likeness > best.likeness) best = { answer, likeness }
  }
  return best?.answer
}

/** Fields and entries that both have, less a little for every entry that only one has. */
const likenessOf = (recorded: Json, asked: Json, depth = 0): number => {
  if (JSON.stringify(recorded) === JSON.stringify(asked)) return 1 + leavesOf(asked)
  if (depth > 3) return 0
  if (isList(recorded) && isList(asked)) {
    const both = Math.min(recorded.length, asked.length)
    let sum = -0.5 * Math.abs(recorded.length - asked.length)
    for (let at = 0; at < both; at += 1) sum += likenessOf(recorded[at] ?? null, asked[at] ?? null, depth + 1)
    return sum
  }
  if (isPlainObject(recorded) && isPlainObject(asked)) {
    // Fields of JSON are JSON.
    return Object.keys(asked).reduce(
      (sum, key) =>
        sum + (Object.hasOwn(recorded, key) ? likenessOf(recorded[key] as Json, asked[key] as Json, depth + 1) : 0),
      0,
    )
  }
  return 0
}

const leavesOf = (value: Json): number => (isList(value) ? value.length : isPlainObject(value) ? 1 : 0)
