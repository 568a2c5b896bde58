// Receives a request that a recording has no answer to; returns the answer whose request has most in common with it.
// Invariant: each chunk is read once, however many requests have it, and the search ends after `MAX_CHARACTERS` of chunks.
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { AnswerKind, RecordedAnswer } from "../recording.ts"
import { expanded, isList, type Json } from "../request-hash.ts"

/** The search stops after reading this many characters, and returns the best match so far. */
const MAX_CHARACTERS = 24 * 1024 * 1024
const DEEPEST = 3

/** The answer of this kind whose request has most in common with `request`; among equals, the first. */
export const nearestOf = (
  answers: Iterable<RecordedAnswer>,
  kind: AnswerKind,
  request: Json,
  chunkOf: (hash: string) => Json | undefined,
): RecordedAnswer | undefined => {
  const chunks = new HeldChunks(chunkOf)
  const likeness = new Likeness()
  let best: { readonly answer: RecordedAnswer; readonly likeness: number } | undefined
  for (const answer of answers) {
    if (answer.kind !== kind) continue
    const like = likeness.of(chunks.whole(answer.request), request)
    if (best === undefined || like > best.likeness) best = { answer, likeness: like }
    if (chunks.characters > MAX_CHARACTERS) break
  }
  return best?.answer
}

class HeldChunks {
  readonly #chunkOf: (hash: string) => Json | undefined
  readonly #chunks = new Map<string, Json | undefined>()
  /** Expanded chunks, by hash. */
  readonly #whole = new Map<string, Json>()
  characters = 0

  constructor(chunkOf: (hash: string) => Json | undefined) {
    this.#chunkOf = chunkOf
  }

  whole(request: Json): Json {
    return expanded(request, (hash) => this.#chunk(hash), this.#whole)
  }

  #chunk(hash: string): Json | undefined {
    if (this.#chunks.has(hash)) return this.#chunks.get(hash)
    const chunk = this.#chunkOf(hash)
    this.#chunks.set(hash, chunk)
    this.characters += JSON.stringify(chunk ?? null).length
    return chunk
  }
}

/** Scores how alike two values are: by the fields and entries that both have, less a little for each entry that only one has. */
class Likeness {
  readonly #texts = new WeakMap<object, string>()

  of(recorded: Json, asked: Json, depth = 0): number {
    if (depth > 0 && this.#text(recorded) === this.#text(asked)) return 1 + leavesOf(asked)
    if (depth > DEEPEST) return 0
    if (isList(recorded) && isList(asked)) {
      const both = Math.min(recorded.length, asked.length)
      let sum = -0.5 * Math.abs(recorded.length - asked.length)
      for (let at = 0; at < both; at += 1) sum += this.of(recorded[at] ?? null, asked[at] ?? null, depth + 1)
      return sum
    }
    if (isPlainObject(recorded) && isPlainObject(asked)) {
      // Fields of JSON values are JSON.
      return Object.keys(asked).reduce(
        (sum, key) =>
          sum + (Object.hasOwn(recorded, key) ? this.of(recorded[key] as Json, asked[key] as Json, depth + 1) : 0),
        0,
      )
    }
    return 0
  }

  #text(value: Json): string {
    // Each request has a new list of messages, but the messages in it are the same objects, so only their texts are cached.
    if (typeof value !== "object" || value === null) return JSON.stringify(value)
    const known = this.#texts.get(value)
    if (known !== undefined) return known
    const text = isList(value) ? `[${value.map((item) => this.#text(item)).join()}]` : JSON.stringify(value)
    if (!isList(value)) this.#texts.set(value, text)
    return text
  }
}

const leavesOf = (value: Json): number => (isList(value) ? value.length : isPlainObject(value) ? 1 : 0)
