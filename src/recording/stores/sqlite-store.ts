// The store of recordings in SQLite, that of a Durable Object or of a program.
// Invariant: a recording is replaced in one transaction: a reader finds the previous recording or the new one, whole.
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { answerKey, Recording, type RecordingMetadata } from "../recording.ts"
import {
  missingRecording,
  type RecordingPage,
  type RecordingQuery,
  recordingOf,
  RecordingStore,
} from "../recording-store.ts"
import { type Part, RecordingRows, type RecordingSql, type Text } from "./recording-rows.ts"

/** The storage that the store uses; a Durable Object's storage fits. */
export interface SqliteStorage {
  readonly sql: RecordingSql
  transactionSync<A>(run: () => A): A
}

/** The texts of a recording, by part. */
export const textsOf = ({
  signals,
  answers,
  chunks,
  checkpoints,
}: Recording): Readonly<Record<Part, ReadonlyArray<Text>>> => ({
  signal: signals.map((signal, n) => ({ n, key: signal.name, json: JSON.stringify(signal) })),
  answer: answers.map((answer, n) => ({ n, key: answerKey(answer), json: JSON.stringify(answer) })),
  chunk: Object.entries(chunks).map(([key, value], n) => ({ n, key, json: JSON.stringify(value) })),
  checkpoint: checkpoints.map((checkpoint, n) => ({ n, key: checkpoint.name, json: JSON.stringify(checkpoint) })),
})

const decodeRecording = Schema.decodeUnknownSync(Recording)

/** Reads a whole recording. */
const loaded = (rows: RecordingRows, id: string, metadata: string): Recording => {
  const all = (part: Part): ReadonlyArray<unknown> =>
    [...rows.texts(id, part)].map(({ json }): unknown => JSON.parse(json))
  const chunks = [...rows.texts(id, "chunk")].map(({ key, json }): [string, unknown] => [key, JSON.parse(json)])
  return decodeRecording({
    metadata: JSON.parse(metadata),
    signals: all("signal"),
    checkpoints: all("checkpoint"),
    answers: all("answer"),
    chunks: Object.fromEntries(chunks),
  })
}

const listed = (rows: RecordingRows, { tags = [], limit = 100, cursor = "" }: RecordingQuery = {}): RecordingPage => {
  const recordings: Array<RecordingMetadata> = []
  for (const json of rows.allMetadata(cursor)) {
    const metadata = JSON.parse(json) as RecordingMetadata // this store wrote it
    if (!tags.every((tag) => metadata.tags.includes(tag))) continue
    if (recordings.length === limit) return { recordings, next: recordings.at(-1)?.id ?? null }
    recordings.push(metadata)
  }
  return { recordings, next: null }
}

/** A store in a SQLite database: Node's, or that of a Durable Object. */
export const sqliteStore = (storage: SqliteStorage): RecordingStore["Service"] => {
  const rows = new RecordingRows(storage.sql)
  return {
    save: Effect.fnUntraced(function* (id, signals, extra) {
      const recording = yield* recordingOf(id, signals, extra)
      storage.transactionSync(() => {
        rows.remove(id)
        for (const [part, texts] of Object.entries(textsOf(recording))) {
          // The keys of `textsOf` are parts.
          for (const text of texts) rows.add(id, part as Part, text)
        }
        rows.setMetadata(id, JSON.stringify(recording.metadata))
      })
    }),
    load: (id) =>
      Effect.suspend(() => {
        const metadata = rows.metadata(id)
        return metadata === undefined
          ? Effect.fail(missingRecording(id))
          : Effect.sync(() => loaded(rows, id, metadata))
      }),
    list: (query) => Effect.sync(() => listed(rows, query)),
    delete: (id) => Effect.sync(() => storage.transactionSync(() => rows.remove(id))),
    exists: (id) => Effect.sync(() => rows.metadata(id) !== undefined),
  }
}

/** `sqliteStore` as a layer. */
export const layerSqlite = (storage: SqliteStorage) => Layer.sync(RecordingStore, () => sqliteStore(storage))
