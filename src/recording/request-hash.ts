// Receives a request to something outside of a session; returns what a recording stores of it: its hash, its normalised form
// and the long pieces of that form.
// Invariant: requests have the same hash exactly when they are the same except for ids, dates and times.
import type * as Schema from "effect/Schema"
import { isPlainObject } from "../schemas/plain-object.ts"
import { sha256 } from "../schemas/sha256.ts"
import { normalised } from "./normalised.ts"

export type Json = Schema.Json

/** A request in the form that recordings store. */
export interface HashedRequest {
  readonly hash: string
  /** The JSON that was hashed. Long pieces are `{"$chunk": sha256}`. */
  readonly json: string
  /** The parsed `json`. */
  readonly request: Json
  /** The JSON of the long pieces, by their SHA-256. */
  readonly chunks: ReadonlyMap<string, string>
}

export const hashedRequest = (json: string, chunks: ReadonlyMap<string, string>): HashedRequest => ({
  hash: sha256(json),
  json,
  chunks,
  get request() {
    // `json` was made by serializing a JSON value.
    return JSON.parse(json) as Json
  },
})

/** A string of this many characters or more becomes a chunk. */
const CHUNK_LENGTH = 512

/** Hashes the request's normalised JSON, in which long pieces are replaced by their hashes. */
export const hashRequest = (request: Json): HashedRequest => {
  const chunks = new Map<string, string>()
  const short = shortened(request, (text) => {
    const hash = sha256(text)
    chunks.set(hash, text)
    return { $chunk: hash }
  })
  return hashedRequest(normalised(JSON.stringify(short)), chunks)
}

/** The value with every long string replaced by `keep` of its normalised JSON. */
const shortened = (value: Json, keep: (text: string) => Json): Json => {
  if (typeof value === "string") return value.length < CHUNK_LENGTH ? value : keep(normalised(JSON.stringify(value)))
  if (typeof value !== "object" || value === null) return value
  if (isList(value)) return value.map((item) => shortened(item, keep))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortened(item, keep)]))
}

export const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/** A list of chunks: the list with the hash `$after`, extended by `$items`. */
export interface ChunkList {
  readonly $after: string | null
  readonly $items: ReadonlyArray<string>
}

/**
 * The value with its chunks expanded. A missing chunk stays a reference. `known` caches expanded chunks, so that several
 * requests share them; lists of chunks are not cached.
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

/** Recorded instead of an answer that the caller did not wait for. */
export const UNANSWERED: Json = { unanswered: true }

export const isUnanswered = (response: Json): boolean => isPlainObject(response) && response["unanswered"] === true
