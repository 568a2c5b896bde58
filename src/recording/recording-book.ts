// The rows of one recording in its Durable Object, and what is read of them.
// Invariant: a page has at most `PAGE_BYTES` of JSON unless its first item alone has more; until the metadata are written the
// recording does not exist.
import type * as Schema from "effect/Schema"
import { type CreateCheckpoint, MAX_CHECKPOINTS, type RecordingInfo } from "../schemas/api/recordings.ts"
import type { RpcResult } from "../schemas/errors/rpc-error.ts"
import type { PagedAnswer } from "../schemas/rpc/recorded-page.ts"
import type { RecordingEvents, RecordingEventsQuery, ReplayPlan } from "../schemas/rpc/recording-rpc.ts"
import type { Signal } from "../schemas/signal.ts"
import { compilePattern } from "../schemas/signal-pattern.ts"
import type { AnswerKind, RecordedAnswer, RecordingCheckpoint, RecordingMetadata } from "./recording.ts"
import { nearestOf } from "./missing/nearest.ts"
import { PlanMaker } from "./replay-plan.ts"
import { expanded } from "./request-hash.ts"
import { type Part, RecordingRows } from "./stores/recording-rows.ts"
import { answerKey } from "./stores/sqlite-store.ts"

const PAGE_BYTES = 4 * 1024 * 1024
/** Signals that a page with a pattern looks at. */
const MOST_SEARCHED = 20_000
/** Bytes of prompts and options that a replay sends. */
const PLAN_BYTES = 24 * 1024 * 1024
/** Bytes of answers that a playback gets at once. */
const ANSWERS_BYTES = 1024 * 1024

/** Beside the recording: how it was asked for, and how much it holds. */
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
    // A process ended before the recording was complete.
    if (text === undefined) return this.clear()
    const [facts] = this.#storage.sql
      .exec<{ json: string }>("SELECT json FROM recording_facts WHERE id = ?", this.id)
      .toArray()
    // This class wrote both.
    this.#metadata = JSON.parse(text) as RecordingMetadata
    this.#facts = JSON.parse(facts?.json ?? "null") as Facts | null
  }

  /** The tables are made when something is to be written, or was. */
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

  /** Its storage was deleted. */
  forget(): void {
    this.#rows = null
    this.#metadata = null
    this.#facts = null
  }

  /** Removes what there is of the recording. */
  clear(): void {
    this.#metadata = null
    this.#facts = null
    if (!this.#hasTables()) return
    this.#storage.transactionSync(() => {
      this.rows.remove(this.id)
      this.#storage.sql.exec("DELETE FROM recording_facts")
    })
  }

  /** Writes rows, all or none. */
  write(
    rows: ReadonlyArray<{ readonly part: Part; readonly n: number; readonly key: string; readonly json: string }>,
  ): void {
    this.#storage.transactionSync(() => {
      for (const row of rows) this.rows.add(this.id, row.part, row)
    })
  }

  /** All rows are written: the recording exists. */
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

  /** Without their states, which only a download has. */
  #checkpoints(): RecordingInfo["checkpoints"] {
    return [...this.rows.texts(this.id, "checkpoint")].map(({ json }) => {
      const { name, index, timestamp } = JSON.parse(json) as RecordingCheckpoint // checked when it was written
      return { name, index, timestamp }
    })
  }

  /** Adds a named place: behind the last signal when no index is given. */
  checkpoint({ name, index }: CreateCheckpoint, now: number): RpcResult<RecordingInfo> {
    const info = this.info()
    if (info === null) return { ok: false, error: { type: "not_found_error", message: "there is no such recording" } }
    const refuse = (message: string, field?: string): RpcResult<never> => ({
      ok: false,
      error: {
        type: field === undefined ? "conflict_error" : "invalid_request_error",
        message,
        ...(field === undefined ? {} : { field }),
      },
    })
    if (index !== undefined && index > info.signals) {
      return refuse(`index must be at most ${info.signals}, the number of signals. Got ${index}.`, "index")
    }
    const checkpoint = { name, index: index ?? info.signals, timestamp: new Date(now).toISOString() }
    const same = info.checkpoints.find((known) => known.name === name)
    if (same !== undefined) {
      return same.index === checkpoint.index
        ? { ok: true, value: info }
        : refuse("The recording has a checkpoint of this name.")
    }
    if (info.checkpoints.length >= MAX_CHECKPOINTS)
      return refuse(`A recording has at most ${MAX_CHECKPOINTS} checkpoints.`)
    const n = this.rows.count(this.id, "checkpoint")
    this.write([{ part: "checkpoint", n, key: name, json: JSON.stringify(checkpoint) }])
    return { ok: true, value: { ...info, checkpoints: [...info.checkpoints, checkpoint] } }
  }

  /** Signals behind `after`; the first of the recording has the place 1. */
  events({ after, limit, pattern }: RecordingEventsQuery): RecordingEvents | null {
    if (this.#facts === null) return null
    const { signals: last_seq } = this.#facts
    const matches = pattern === undefined ? null : (compilePattern(pattern)?.matches ?? (() => false))
    const signals: Array<{ seq: number; json: string }> = []
    let room = PAGE_BYTES
    let searched = after
    for (const { n, key } of this.rows.keys(this.id, "signal", after - 1, MOST_SEARCHED)) {
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

  /** The answer and what was recorded behind it, up to a bound. */
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

  /** Its request and response with their long pieces in their places. */
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

  /** What came from outside: how the session was made, changed and prompted. "large" for more than one answer holds. */
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
