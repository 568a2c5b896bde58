// A session as pages of a recording: its log as signals, then the answers that were recorded, then their chunks.
// Invariant: a page has at most `RECORDED_PAGE_BYTES` unless its first item alone has more, and all pages show the session as it was
// when the first one was read: later writes are in none.
import type { RecordedPage } from "../../schemas/rpc/recorded-page.ts"
import type { Signal } from "../../schemas/signal.ts"
import type { RecordedAnswer } from "../../recording/recording.ts"
import type { Json } from "../../recording/request-hash.ts"
import { signalJson } from "../../schemas/log/event-signal.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { toNamedMedia } from "../../schemas/log/media-mark.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { SessionCore } from "../core.ts"
import { hasRecordedTable, RecordedTable, type StoredRow } from "./recorded-table.ts"

const RECORDED_PAGE_BYTES = 4 * 1024 * 1024 - 64 * 1024

/**
 * `part.through.rows.from.at`: signals up to `through`, answers up to `rows`, both as they were when the first page was read.
 * A page starts after the signal or the row `from`, or with the `at`-th chunk of the row `from`.
 */
const CURSOR = /^(s|a|c)\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/

/** The cursor of the first page of answers, after the signals and up to any row. */
export const FIRST_ANSWER = "a.0.999999999999999.0.0"

interface Place {
  readonly part: "s" | "a" | "c"
  readonly through: number
  readonly rows: number
  readonly from: number
  readonly at: number
}

/** `after` is null for the first page. A session that is not recorded has signals only. */
export const recordedPage = (
  core: Pick<SessionCore, "context" | "log" | "capture">,
  after: string | null,
): RecordedPage | Refusal => {
  const isRecorded = core.capture?.sends === true && hasRecordedTable(core.context.sql)
  const table = isRecorded ? new RecordedTable(core.context.sql) : null
  const first: Place = { part: "s", through: core.log.lastSeq, rows: table?.last ?? 0, from: 0, at: 0 }
  const place = after === null ? first : placeOf(after)
  if (place === null) return refuse("invalid_request_error", "after: does not belong to this call", "after")
  const page = new Page()
  const { through, rows } = place
  const begin = (part: Place["part"], from: number, at = 0) => `${part}.${through}.${rows}.${from}.${at}`
  const done = (next: string | null): RecordedPage => ({ ...page.items, next })
  if (place.part === "s") {
    for (let from = place.from; from < through;) {
      const { events } = core.log.page({ after: from, limit: 200, order: "asc" }, RECORDED_PAGE_BYTES)
      if (events.length === 0) break
      for (const { event, json } of events) {
        if (event.seq > through) break
        if (!page.add(signalJson(event, recordedText(core, event.name, json)), "signal"))
          return done(begin("s", event.seq - 1))
        from = event.seq
      }
      if (events.at(-1)?.event.seq !== from) break
    }
    return done(table === null ? null : begin("a", 0))
  }
  if (table === null) return done(null)
  if (place.part === "a") {
    for (const row of table.rows(place.from)) {
      if (row.n > rows) break
      if (row.kind !== "missing" && !page.add(answerJson(row), "answer")) return done(begin("a", row.n - 1))
    }
    return done(begin("c", 0))
  }
  for (const { n, at, hash, json } of table.chunks(place.from, place.at)) {
    if (n > rows) break
    if (!page.add(json, "chunk", hash)) return done(begin("c", n, at))
  }
  return done(null)
}

/** Prompts keep their media, because a replay sends them again; elsewhere media are replaced by their names. */
const recordedText = ({ log }: Pick<SessionCore, "log">, name: string, json: string): string =>
  name === EventNames.turnQueued ? log.media.whole(json) : toNamedMedia(json)

const placeOf = (text: string): Place | null => {
  const [, part, ...numbers] = CURSOR.exec(text) ?? []
  const [through, rows, from, at] = numbers.map(Number)
  if ((part !== "s" && part !== "a" && part !== "c") || through === undefined || rows === undefined) return null
  return { part, through, rows, from: from ?? 0, at: at ?? 0 }
}

const answerJson = ({ kind, hash, ordinal, request, response }: StoredRow): string =>
  `${JSON.stringify({ kind, hash, ordinal }).slice(0, -1)},"request":${request},"response":${response}}`

class Page {
  readonly items = {
    signals: new Array<Signal>(),
    answers: new Array<RecordedAnswer>(),
    chunks: {} as Record<string, Json>,
  }
  #room = RECORDED_PAGE_BYTES

  /** Adds an item to the page; false when it does not fit. */
  add(json: string, kind: "signal" | "answer" | "chunk", hash = ""): boolean {
    const isFirst = this.#room === RECORDED_PAGE_BYTES
    this.#room -= Buffer.byteLength(json)
    if (this.#room < 0 && !isFirst) return false
    // Can't fail: each was written as JSON of its type.
    const value: unknown = JSON.parse(json)
    if (kind === "signal") this.items.signals.push(value as Signal)
    else if (kind === "answer") this.items.answers.push(value as RecordedAnswer)
    else this.items.chunks[hash] = value as Json
    return true
  }
}
