// The port of the stores of recordings, and the store in memory.
// Invariant: `load` returns the whole recording that was saved last, unchanged.
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type { Signal } from "../schemas/signal.ts"
import { RecordingNotFound } from "./recording-not-found.ts"
import type { RecordedAnswer, Recording, RecordingCheckpoint, RecordingMetadata } from "./recording.ts"

/** What is saved in addition to the signals. */
export interface RecordingExtra {
  readonly metadata?: Partial<Omit<RecordingMetadata, "id" | "signalCount" | "version">>
  readonly answers?: ReadonlyArray<RecordedAnswer>
  readonly chunks?: Readonly<Record<string, Schema.Json>>
  readonly checkpoints?: ReadonlyArray<RecordingCheckpoint>
}

/** Selects recordings that have all of `tags`, after `cursor`, at most `limit` of them (100 by default). */
export interface RecordingQuery {
  readonly tags?: ReadonlyArray<string>
  readonly limit?: number
  readonly cursor?: string
}

/** `next` is the `cursor` of the next page, null on the last one. */
export interface RecordingPage {
  readonly recordings: ReadonlyArray<RecordingMetadata>
  readonly next: string | null
}

/** Stores recordings by id: in memory, in files or in SQLite. */
export class RecordingStore extends Context.Service<
  RecordingStore,
  {
    /** Replaces a recording of the same id. */
    save(id: string, signals: ReadonlyArray<Signal>, extra?: RecordingExtra): Effect.Effect<void>
    load(id: string): Effect.Effect<Recording, RecordingNotFound>
    /** A page of metadata, ordered by id. */
    list(query?: RecordingQuery): Effect.Effect<RecordingPage>
    delete(id: string): Effect.Effect<void>
    exists(id: string): Effect.Effect<boolean>
  }
>()("perch/recording/store") {
  /** A store that lasts as long as the layer. */
  static readonly layerMemory = Layer.sync(RecordingStore, () => memoryStore(new Map()))
}

/** A store over a map, which may contain recordings already. */
export const memoryStore = (held: Map<string, Recording>): RecordingStore["Service"] => ({
  save: Effect.fnUntraced(function* (id, signals, extra) {
    held.set(id, structuredClone(yield* recordingOf(id, signals, extra)))
  }),
  load: (id) =>
    Effect.suspend(() => {
      const found = held.get(id)
      return found === undefined ? Effect.fail(missingRecording(id)) : Effect.succeed(structuredClone(found))
    }),
  list: (query) =>
    Effect.sync(() =>
      pageOf(
        [...held.values()].map(({ metadata }) => metadata),
        query,
      ),
    ),
  delete: (id) => Effect.sync(() => void held.delete(id)),
  exists: (id) => Effect.sync(() => held.has(id)),
})

/** The recording to store, with defaults for missing metadata. */
export const recordingOf = Effect.fnUntraced(function* (
  id: string,
  signals: ReadonlyArray<Signal>,
  { metadata = {}, answers = [], chunks = {}, checkpoints = [] }: RecordingExtra = {},
): Effect.fn.Return<Recording> {
  const now = yield* Clock.currentTimeMillis
  const [first, last] = [signals[0]?.timestamp, signals.at(-1)?.timestamp]
  return {
    metadata: {
      kind: "workflow",
      name: id,
      tags: [],
      createdAt: new Date(now).toISOString(),
      finalized: true,
      durationMs: first === undefined || last === undefined ? 0 : Math.max(0, Date.parse(last) - Date.parse(first)),
      ...metadata,
      id,
      signalCount: signals.length,
      version: 1,
    },
    signals,
    checkpoints,
    answers,
    chunks,
  }
})

/** The error for an id without a recording. */
export const missingRecording = (id: string): RecordingNotFound =>
  new RecordingNotFound({ recording: id, hash: "", message: `There is no recording ${JSON.stringify(id)}.` })

/** A page of recordings, ordered by id. */
export const pageOf = (
  all: ReadonlyArray<RecordingMetadata>,
  { tags = [], limit = 100, cursor = "" }: RecordingQuery = {},
): RecordingPage => {
  const found = all
    .filter((one) => one.id > cursor && tags.every((tag) => one.tags.includes(tag)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const recordings = found.slice(0, limit)
  return { recordings, next: found.length > limit ? (recordings.at(-1)?.id ?? null) : null }
}
