// Receives a request to whatever is outside of a session; returns what a recording keeps of it: its hash, its normalised form
// and the long pieces of that.
// Invariant: requests have the same hash exactly when they are the same but for ids, dates and times.
import { createHash } from "node:crypto"
import type * as Schema from "effect/Schema"
import { isPlainObject } from "../schemas/plain-object.ts"
import { normalised } from "./normalised.ts"

export type Json = Schema.Json

/** A request as recordings know it. */
export interface HashedRequest {
  readonly hash: string
  /** Its JSON, which was hashed. Long pieces are `{"$chunk": sha256}`. */
  readonly json: string
  /** The same, parsed. */
  readonly request: Json
  /** The JSON of those pieces, by their SHA-256. */
  readonly chunks: ReadonlyMap<string, string>
}

export const hashedRequest = (json: string, chunks: ReadonlyMap<string, string>): HashedRequest => ({
  hash: sha256(json),
  json,
  chunks,
  get request() {
    // It was JSON, and it is.
    return JSON.parse(json) as Json
  },
})

/** A piece of so many characters or more is a chunk of its own. */
const CHUNK_LENGTH = 512

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The request's hash is that of its normalised JSON in which hashes are in the place of long pieces. */
export const hashRequest = (request: Json): HashedRequest => {
  const chunks = new Map<string, string>()
  const short = shortened(request, (text) => {
    const hash = sha256(text)
    chunks.set(hash, text)
    return { $chunk: hash }
  })
  return hashedRequest(normalised(JSON.stringify(short)), chunks)
}

/** The same value with `keep` of the JSON of every long text. */
const shortened = (value: Json, keep: (text: string) => Json): Json => {
  if (typeof value === "string") return value.length < CHUNK_LENGTH ? value : keep(normalised(JSON.stringify(value)))
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map((item) => shortened(item, keep))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, keep)]))
}

export const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** A list of chunks, longer by `items` than the one before it. */
export interface ChunkList {
  readonly $after: string | null
  readonly $items: ReadonlyArray<string>
}

/**
 * The request with its chunks in their places. One that is not there stays a reference. `known` holds what the chunks are in
 * whole, so that several requests share them; lists of chunks are not in it.
 */
export const expanded = (value: Json, chunkOf: (hash: string) => Json | undefined, known?: Map<string, Json>): Json => {
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map((item) => expanded(item, chunkOf, known))
  const hash = value["$chunk"]
  if (typeof hash === "string") return known?.get(hash) ?? expandedChunk(hash, chunkOf, known) ?? value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item, chunkOf, known)]))
}

const expandedChunk = (
  hash: string,
  chunkOf: (hash: string) => Json | undefined,
  known: Map<string, Json> | undefined,
): Json | undefined => {
  const chunk = chunkOf(hash)
  if (!isChunkList(chunk)) {
    const whole = chunk === undefined ? undefined : expanded(chunk, chunkOf, known)
    if (whole !== undefined) known?.set(hash, whole)
    return whole
  }
  const items: Array<ReadonlyArray<string>> = []
  for (let at: Json | undefined = chunk; isChunkList(at); at = at.$after === null ? undefined : chunkOf(at.$after)) {
    items.unshift(at.$items)
  }
  return items.flat().map((item) => expanded({ $chunk: item }, chunkOf, known))
}

const isChunkList = (value: unknown): value is Json & ChunkList =>
  isPlainObject(value) && "$after" in value && Array.isArray(value["$items"])

/** What is recorded in the place of an answer that the caller did not wait for. */
export const UNANSWERED: Json = { unanswered: true }

export const isUnanswered = (response: Json): boolean => isPlainObject(response) && response["unanswered"] === true
