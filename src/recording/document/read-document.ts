// Receives the parts of a recording's JSON document; checks each and returns it as the text that is stored.
// Invariant: the parts are a recording of this version, and each hash is that of its content; a `DocumentFault` names the field
// that is wrong. Texts are written as `JSON.stringify` writes them, so that a download returns the same bytes again.
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { MAX_CHECKPOINTS } from "../../schemas/api/recordings.ts"
import { boundsOfJson } from "../../schemas/bounded-json.ts"
import { repeatedKeyRefusal } from "../../schemas/json/client-json.ts"
import { fieldPath } from "../../schemas/errors/field-path.ts"
import { type FieldIssue, fieldIssues } from "../../schemas/errors/union-issues.ts"
import { isPlainObject } from "../../schemas/plain-object.ts"
import { Signal } from "../../schemas/signal.ts"
import { answerKey, RecordedAnswer, RecordingCheckpoint, RecordingMetadata } from "../recording.ts"
import { sha256 } from "../../schemas/sha256.ts"
import type { ChunkList } from "../request-hash.ts"
import type { Part, Text } from "../stores/recording-rows.ts"
import { DocumentFault, type DocumentPart, parsedValue } from "./document-splitter.ts"

/** The most levels of nesting of a part: those of an event of a session's log, and its signal around it. */
const DEPTH = 210
const MAX_TAGS = 20
/** The most characters of a name, and of a tag. */
const MAX_NAME = 200
const MAX_TAG = 64

/** Payloads, requests and responses are any JSON: `valueOf` has checked it, so they are not decoded again. */
const SignalHead = Schema.Struct({ ...Signal.fields, payload: Schema.Unknown })
const AnswerHead = Schema.Struct({ ...RecordedAnswer.fields, request: Schema.Unknown, response: Schema.Unknown })

const strict = { onExcessProperty: "error" } as const
const decodeSignal = Schema.decodeUnknownResult(SignalHead, strict)
const decodeAnswer = Schema.decodeUnknownResult(AnswerHead, strict)
const decodeCheckpoint = Schema.decodeUnknownResult(RecordingCheckpoint, strict)
const decodeMetadata = Schema.decodeUnknownResult(RecordingMetadata, strict)

export interface ReadPart extends Text {
  readonly part: Part
}

export class RecordingDocument {
  metadata: RecordingMetadata | null = null
  readonly #counts: Record<Part, number> = { signal: 0, answer: 0, chunk: 0, checkpoint: 0 }
  readonly #answers = new Set<string>()
  readonly #chunks = new Set<string>()
  readonly #checkpoints: Array<RecordingCheckpoint> = []

  /** Checks a part; returns the row to store, null for the metadata, which are kept here. Throws a `DocumentFault`. */
  read({ section, key, json }: DocumentPart): ReadPart | null {
    const at = key === null ? section : section === "chunks" ? `chunks.${key}` : `${section}[${key}]`
    const value = valueOf(at, json)
    switch (section) {
      case "metadata":
        this.metadata = decoded(at, value, decodeMetadata(value))
        checkMetadata(this.metadata)
        return null
      case "signals":
        return this.#part("signal", decoded(at, value, decodeSignal(value)).name, value)
      case "answers": {
        const name = this.#answer(at, decoded(at, value, decodeAnswer(value)))
        return this.#part("answer", name, value)
      }
      case "chunks":
        return { ...this.#part("chunk", key ?? "", value), json: this.#chunk(at, key ?? "", value, json) }
      case "checkpoints": {
        const checkpoint = decoded(at, value, decodeCheckpoint(value))
        checkCheckpoint(at, checkpoint)
        if (this.#checkpoints.some(({ name }) => name === checkpoint.name))
          throw new DocumentFault(at, "has a name that appears twice")
        if (this.#checkpoints.length === MAX_CHECKPOINTS)
          throw new DocumentFault(section, `has more than ${MAX_CHECKPOINTS}`)
        this.#checkpoints.push(checkpoint)
        return this.#part("checkpoint", checkpoint.name, value)
      }
      default:
        throw new DocumentFault(section, "is not a field of a recording")
    }
  }

  /** Call it after the last part; returns the metadata. Throws a `DocumentFault` when they don't fit the parts. */
  end(): RecordingMetadata {
    const { metadata } = this
    if (metadata === null) throw new DocumentFault("metadata", "is missing")
    const { signal: signals } = this.#counts
    if (metadata.signalCount !== signals) {
      throw new DocumentFault(
        "metadata.signalCount",
        `is ${metadata.signalCount}, and the document has ${signals} signals`,
      )
    }
    for (const [index, checkpoint] of this.#checkpoints.entries()) {
      if (checkpoint.index > signals) {
        throw new DocumentFault(`checkpoints[${index}].index`, `is after the last of ${signals} signals`)
      }
    }
    return metadata
  }

  #part(part: Part, key: string, value: unknown): ReadPart {
    const n = this.#counts[part]
    this.#counts[part] += 1
    return { part, n, key, json: JSON.stringify(value) }
  }

  #answer(at: string, answer: typeof AnswerHead.Type): string {
    const name = answerKey(answer)
    if (this.#answers.has(name)) throw new DocumentFault(at, "is an answer that appears twice")
    this.#answers.add(name)
    if (sha256(JSON.stringify(answer.request)) !== answer.hash) {
      throw new DocumentFault(`${at}.hash`, "is not the SHA-256 of the request's JSON")
    }
    return name
  }

  /** The JSON text of a chunk whose hash is right: as `JSON.stringify` writes it, or as it came. Lists of chunks are chained. */
  #chunk(at: string, hash: string, value: unknown, json: string): string {
    if (this.#chunks.has(hash)) throw new DocumentFault(at, "appears twice")
    this.#chunks.add(hash)
    if (isChunkList(value) && chainOf(value) === hash) return JSON.stringify(value)
    const found = [JSON.stringify(value), json].find((text) => sha256(text) === hash)
    if (found === undefined) throw new DocumentFault(at, "is not the SHA-256 of its JSON")
    return found
  }
}

const isInstant = (text: string): boolean => INSTANT.test(text) && !Number.isNaN(Date.parse(text))
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/

const checkName = (at: string, name: string): void => {
  if (name.length > MAX_NAME) throw new DocumentFault(at, `has more than ${MAX_NAME} characters`)
  if (name === "") throw new DocumentFault(at, "must not be empty")
}

const checkTime = (at: string, time: string): void => {
  if (!isInstant(time)) throw new DocumentFault(at, "must be a time, such as 2026-01-31T12:00:00.000Z")
}

const checkCheckpoint = (at: string, { name, timestamp }: RecordingCheckpoint): void => {
  checkName(`${at}.name`, name)
  checkTime(`${at}.timestamp`, timestamp)
}

const checkMetadata = ({ name, tags, createdAt, durationMs, source = {} }: RecordingMetadata): void => {
  checkName("metadata.name", name)
  checkTime("metadata.createdAt", createdAt)
  if (durationMs < 0) throw new DocumentFault("metadata.durationMs", "must not be negative")
  for (const [field, value] of Object.entries(source)) checkName(`metadata.source.${field}`, value)
  if (tags.length > MAX_TAGS) throw new DocumentFault("metadata.tags", `has more than ${MAX_TAGS} tags`)
  const long = tags.findIndex((tag) => tag === "" || tag.length > MAX_TAG)
  if (long >= 0) throw new DocumentFault(`metadata.tags[${long}]`, `must have 1 to ${MAX_TAG} characters`)
}

const valueOf = (at: string, json: string): unknown => {
  const refusal = boundsOfJson(json, DEPTH)
  if (refusal !== null) throw new DocumentFault(at, refusal.message)
  const value = parsedValue(at, json)
  const repeated = repeatedKeyRefusal(json)
  if (repeated !== null) throw new DocumentFault(at, repeated.message)
  return value
}

const decoded = <A>(at: string, value: unknown, result: Result.Result<A, Schema.SchemaError>): A => {
  if (Result.isSuccess(result)) return result.success
  const [first] = fieldIssues(result.failure.issue, value)
  const inner = fieldPath(first?.path ?? [])
  const field = inner === "" || inner.startsWith("[") ? `${at}${inner}` : `${at}.${inner}`
  throw new DocumentFault(field, first === undefined ? "is not readable" : faultOf(first))
}

const faultOf = ({ kind, expected, message }: FieldIssue): string => {
  if (kind === "missing") return "is missing"
  if (kind === "unknown") return "is not a known field"
  return kind === "type" && expected !== undefined ? `must be ${expected}` : `is refused: ${message}`
}

/** True for a list of chunks. An object with further fields is an ordinary chunk. */
const isChunkList = (value: unknown): value is ChunkList =>
  isPlainObject(value) &&
  Object.keys(value).length === 2 &&
  (value["$after"] === null || typeof value["$after"] === "string") &&
  Array.isArray(value["$items"]) &&
  value["$items"].every((item) => typeof item === "string")

/** The hash of a list of chunks: a chain, in which each item extends the hash of the items before it. */
const chainOf = ({ $after, $items }: ChunkList): string =>
  $items.reduce((before, item) => sha256(`${before}${item}`), $after ?? "")
