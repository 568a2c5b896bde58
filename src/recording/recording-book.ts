// The rows of one recording in its Durable Object: receives rows, returns pages of them.
// Invariant: a page has at most `PAGE_BYTES` of JSON unless its first item alone has more; until the metadata are written the
// recording does not exist.
import type * as Schema from "effect/Schema"
import { type CreateCheckpoint, MAX_CHECKPOINTS, type RecordingInfo } from "../schemas/api/recordings.ts"
import { ok, refused, type RpcResult } from "../schemas/errors/rpc-error.ts"
import type { PagedAnswer } from "../schemas/rpc/recorded-page.ts"
import type { RecordingEvents, RecordingEventsQuery, ReplayPlan } from "../schemas/rpc/recording-rpc.ts"
import type { Signal } from "../schemas/signal.ts"
import { compilePattern } from "../schemas/signal-pattern.ts"
import { type AnswerKind, answerKey, type RecordedAnswer } from "./recording.ts"
import type { RecordingCheckpoint, RecordingMetadata } from "./recording.ts"
import { nearestOf } from "./missing/nearest.ts"
import { PlanMaker } from "./replay-plan.ts"
import { expanded } from "./request-hash.ts"
import { type Part, RecordingRows } from "./stores/recording-rows.ts"

const PAGE_BYTES = 4 * 1024 * 1024
/** The most signals that are searched for one page. */
const MAX_SEARCHED = 20_000
/** The most bytes of payloads, such as prompts and options, in a replay plan. */
const PLAN_BYTES = 24 * 1024 * 1024
/** The most bytes of answers that a playback gets at once. */
const ANSWERS_BYTES = 1024 * 1024

/** Facts about the recording: the fingerprint of the request that made it, and its size. */
type Facts = {
  readonly fingerprint?: string
  readonly bytes: number
  readonly signals: number
  readonly answers: number
}

const FACTS = "CREATE TABLE IF NOT EXISTS recording_facts (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID"

type Storage = Pick<DurableObjectStorage, "sql" | "transactionSync">

export class RecordingBook {
  readonly id: string
  readonly #storage: Storage
  #rows: RecordingRows | null = null
  #metadata: RecordingMetadata | null = null
  #facts: Facts | null = null

  constructor(storage: Storage, id: string) {
    this.id = id
    this.#storage = storage
    if (this.#hasTables()) this.#read()
  }

  #hasTables(): boolean {
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'recording_facts'"
    return this.#storage.sql.exec(sql).toArray().length > 0
  }

  #read(): void {
    const text = this.metadataText()
    // An earlier process ended before the recording was complete.
    if (text === undefined) return this.clear()
    const [facts] = this.#storage.sql
      .exec<{ json: string }>("SELECT json FROM recording_facts WHERE id = ?", this.id)
      .toArray()
    // This class wrote both.
    this.#metadata = JSON.parse(text) as RecordingMetadata
    this.#facts = JSON.parse(facts?.json ?? "null") as Facts | null
  }

  /** The rows; creates the tables on first use, so an object that is never written has none. */
  get rows(): RecordingRows {
    if (this.#rows === null) {
      this.#storage.sql.exec(FACTS)
      this.#rows = new RecordingRows(this.#storage.sql)
    }
    return this.#rows
  }

  get exists(): boolean {
    return this.#metadata !== null
  }

  get fingerprint(): string | undefined {
    return this.#facts?.fingerprint
  }

  get metadata(): RecordingMetadata | null {
    return this.#metadata
  }

  metadataText(): string | undefined {
    return this.#hasTables() ? this.rows.metadata(this.id) : undefined
  }

  /** Call when the object's storage was deleted. */
  forget(): void {
    this.#rows = null
    this.#metadata = null
    this.#facts = null
  }

  /** Removes all rows of the recording. */
  clear(): void {
    this.#metadata = null
    this.#facts = null
    if (!this.#hasTables()) return
    this.#storage.transactionSync(() => {
      this.rows.remove(this.id)
      this.#storage.sql.exec("DELETE FROM recording_facts")
    })
  }

  /** Writes rows in one transaction. */
  write(
    rows: ReadonlyArray<{ readonly part: Part; readonly n: number; readonly key: string; readonly json: string }>,
  ): void {
    this.#storage.transactionSync(() => {
      for (const row of rows) this.rows.add(this.id, row.part, row)
    })
  }

  /** Call after all rows are written: from then on the recording exists. */
  finish(metadata: RecordingMetadata, fingerprint?: string): void {
    const { id, rows } = this
    const facts: Facts = {
      ...(fingerprint === undefined ? {} : { fingerprint }),
      bytes: rows.bytes(id),
      signals: rows.count(id, "signal"),
      answers: rows.count(id, "answer"),
    }
    this.#storage.transactionSync(() => {
      this.#storage.sql.exec(
        "INSERT OR REPLACE INTO recording_facts (id, json) VALUES (?, ?)",
        id,
        JSON.stringify(facts),
      )
      rows.setMetadata(id, JSON.stringify(metadata))
    })
    this.#metadata = metadata
    this.#facts = facts
  }

  info(): RecordingInfo | null {
    const [metadata, facts] = [this.#metadata, this.#facts]
    if (metadata === null || facts === null) return null
    const { id, kind, name, tags, createdAt, finalized, durationMs, source } = metadata
    const { bytes, signals, answers } = facts
    return {
      id,
      type: "recording",
      kind,
      name,
      tags,
      created_at: createdAt,
      finalized,
      duration_ms: durationMs,
      signals,
      answers,
      bytes,
      source: source ?? {},
      checkpoints: this.#checkpoints(),
    }
  }

  /** The checkpoints without their states, which only a download includes. */
  #checkpoints(): RecordingInfo["checkpoints"] {
    return [...this.rows.texts(this.id, "checkpoint")].map(({ json }) => {
      const { name, index, timestamp } = JSON.parse(json) as RecordingCheckpoint // checked when it was written
      return { name, index, timestamp }
    })
  }

  /** Adds a checkpoint after the first `index` signals, or after all signals when it is not given. */
  checkpoint({ name, index }: CreateCheckpoint, now: number): RpcResult<RecordingInfo> {
    const info = this.info()
    if (info === null) return refused("not_found_error", "there is no such recording")
    if (index !== undefined && index > info.signals) {
      const message = `index: must be at most ${info.signals}, the number of signals. Got ${index}.`
      return refused("invalid_request_error", message, { field: "index" })
    }
    const checkpoint = { name, index: index ?? info.signals, timestamp: new Date(now).toISOString() }
    const same = info.checkpoints.find((known) => known.name === name)
    if (same !== undefined) {
      return same.index === checkpoint.index
        ? ok(info)
        : refused("conflict_error", "The recording has a checkpoint of this name.")
    }
    if (info.checkpoints.length >= MAX_CHECKPOINTS)
      return refused("conflict_error", `A recording has at most ${MAX_CHECKPOINTS} checkpoints.`)
    const n = this.rows.count(this.id, "checkpoint")
    this.write([{ part: "checkpoint", n, key: name, json: JSON.stringify(checkpoint) }])
    return ok({ ...info, checkpoints: [...info.checkpoints, checkpoint] })
  }

  /** A page of signals after seq `after`; the first signal has seq 1. Null when there is no recording. */
  events({ after, limit, pattern }: RecordingEventsQuery): RecordingEvents | null {
    if (this.#facts === null) return null
    const { signals: last_seq } = this.#facts
    const matches = pattern === undefined ? null : (compilePattern(pattern)?.matches ?? (() => false))
    const signals: Array<{ seq: number; json: string }> = []
    let room = PAGE_BYTES
    let searched = after
    for (const { n, key } of this.rows.keys(this.id, "signal", after - 1, MAX_SEARCHED)) {
      if (matches === null || matches(key)) {
        if (signals.length === limit) return { signals, has_more: true, next_after: searched, last_seq }
        const json = this.rows.at(this.id, "signal", n) ?? "null"
        room -= Buffer.byteLength(json)
        if (room < 0 && signals.length > 0) return { signals, has_more: true, next_after: searched, last_seq }
        signals.push({ seq: n + 1, json })
      }
      searched = n + 1
    }
    return { signals, has_more: searched < last_seq, next_after: searched, last_seq }
  }

  /** The answer and those recorded after it, up to `ANSWERS_BYTES`; empty without it, null when there is no recording. */
  answers(kind: string, hash: string, ordinal: number): ReadonlyArray<PagedAnswer> | null {
    if (!this.exists) return null
    const first = this.rows.find(this.id, "answer", answerKey({ kind, hash, ordinal }))
    if (first === undefined) return []
    const answers: Array<PagedAnswer> = []
    let room = ANSWERS_BYTES
    for (const { json } of this.rows.texts(this.id, "answer", first.n - 1)) {
      room -= Buffer.byteLength(json)
      if (room < 0 && answers.length > 0) break
      // Checked when it was written.
      answers.push(JSON.parse(json) as PagedAnswer)
    }
    return answers
  }

  /** The answer whose request is nearest to `request`, with the chunks of its request expanded; null when there is none. */
  nearest(kind: AnswerKind, request: Schema.Json): PagedAnswer | null {
    const { rows, id } = this
    const chunkOf = (hash: string): Schema.Json | undefined => {
      const json = rows.find(id, "chunk", hash)?.json
      // It was checked when it was written.
      return json === undefined ? undefined : (JSON.parse(json) as Schema.Json)
    }
    const found = nearestOf(this.items<RecordedAnswer>("answer"), kind, request, chunkOf)
    return found === undefined ? null : { ...found, request: expanded(found.request, chunkOf) }
  }

  /** The items of a part, one after the other. They were checked when they were written. */
  *items<A extends Signal | RecordedAnswer>(part: "signal" | "answer"): Generator<A> {
    for (const { json } of this.rows.texts(this.id, part)) yield JSON.parse(json) as A
  }

  /** What came from outside: how the session was created, changed and prompted. "large" above `PLAN_BYTES`. */
  plan(): ReplayPlan | "large" | null {
    const metadata = this.#metadata
    if (metadata === null) return null
    const plan = new PlanMaker()
    let room = PLAN_BYTES
    for (const signal of this.items<Signal>("signal")) {
      const step = plan.add(signal)
      if (step !== null) room -= Buffer.byteLength(JSON.stringify(step.payload))
      if (room < 0) return "large"
    }
    const { kind, durationMs, source: { workflow } = {} } = metadata
    return { kind, ...(workflow === undefined ? {} : { workflow }), ...plan, durationMs }
  }
}
