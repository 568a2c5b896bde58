// A session as pages of a recording: its log as signals, then the answers that were recorded, then their chunks.
// Invariant: a page has at most `PAGE_BYTES` unless its first item alone has more, and the pages are of the session as it was
// when the first one was read: what is written meanwhile is in none.
import type { RecordedPage } from "../../schemas/rpc/recorded-page.ts"
import type { Signal } from "../../schemas/signal.ts"
import type { RecordedAnswer } from "../../recording/recording.ts"
import type { Json } from "../../recording/request-hash.ts"
import { signalJson } from "../../schemas/log/event-signal.ts"
import { EventNames } from "../../schemas/log/events.ts"
import { toNamedMedia } from "../../schemas/log/media-mark.ts"
import { type Refusal, refuse } from "../refusal.ts"
import type { SessionCore } from "../core.ts"
import { hasRecordedTables, RecordedTable, type StoredRow } from "./recorded-table.ts"

const PAGE_BYTES = 4 * 1024 * 1024 - 64 * 1024

/** `part.through.rows.after`: signals to `through`, answers to `rows`, both as they were when the first page was read. */
const CURSOR = /^(s|a|c)\.(\d+)\.(\d+)\.([0-9a-f]*)$/

interface Place {
  readonly part: "s" | "a" | "c"
  readonly through: number
  readonly rows: number
  readonly after: string
}

/** `after` is null for the first page. A session that is not recorded has signals alone. */
export const recordedPage = (
  core: Pick<SessionCore, "context" | "log" | "capture">,
  after: string | null,
): RecordedPage | Refusal => {
  const isRecorded = core.capture?.sends === true && hasRecordedTables(core.context.sql)
  const table = isRecorded ? new RecordedTable(core.context.sql) : null
  const first: Place = { part: "s", through: core.log.lastSeq, rows: table?.last ?? 0, after: "" }
  const place = after === null ? first : placeOf(after)
  if (place === null) return refuse("invalid_request_error", "after: is not one of this call", "after")
  const page = new Page()
  const { through, rows } = place
  const at = (part: Place["part"], key: string | number) => `${part}.${through}.${rows}.${key}`
  const done = (next: string | null): RecordedPage => ({ ...page.items, next })
  if (place.part === "s") {
    for (let from = Number(place.after); from < through;) {
      const { events } = core.log.page({ after: from, limit: 200, order: "asc" }, PAGE_BYTES)
      if (events.length === 0) break
      for (const { event, json } of events) {
        if (event.seq > through) break
        if (!page.takes(signalJson(event, plain(core, event.name, json)), "signal")) return done(at("s", event.seq - 1))
        from = event.seq
      }
      if (events.at(-1)?.event.seq !== from) break
    }
    return done(table === null ? null : at("a", 0))
  }
  if (table === null) return done(null)
  if (place.part === "a") {
    for (const row of table.rows(Number(place.after))) {
      if (row.n > rows) break
      if (row.kind !== "missing" && !page.takes(answerJson(row), "answer")) return done(at("a", row.n - 1))
    }
    return done(at("c", ""))
  }
  let last = place.after
  for (const { hash, json } of table.chunks(place.after)) {
    if (!page.takes(json, "chunk", hash)) return done(at("c", last))
    last = hash
  }
  return done(null)
}

/** Prompts are sent again as they were; elsewhere the name of a picture says enough. */
const plain = ({ log }: Pick<SessionCore, "log">, name: string, json: string): string =>
  name === EventNames.turnQueued ? log.media.whole(json) : toNamedMedia(json)

const placeOf = (text: string): Place | null => {
  const [, part, through, rows, after] = CURSOR.exec(text) ?? []
  if ((part !== "s" && part !== "a" && part !== "c") || after === undefined) return null
  return { part, through: Number(through), rows: Number(rows), after }
}

const answerJson = ({ kind, hash, ordinal, request, response }: StoredRow): string =>
  `${JSON.stringify({ kind, hash, ordinal }).slice(0, -1)},"request":${request},"response":${response}}`

class Page {
  readonly items = {
    signals: new Array<Signal>(),
    answers: new Array<RecordedAnswer>(),
    chunks: {} as Record<string, Json>,
  }
  #room = PAGE_BYTES

  /** Takes an item, unless it is too much for this page. */
  takes(json: string, kind: "signal" | "answer" | "chunk", hash = ""): boolean {
    const isFirst = this.#room === PAGE_BYTES
    this.#room -= Buffer.byteLength(json)
    if (this.#room < 0 && !isFirst) return false
    // Each was written as JSON of its type.
    const value: unknown = JSON.parse(json)
    if (kind === "signal") this.items.signals.push(value as Signal)
    else if (kind === "answer") this.items.answers.push(value as RecordedAnswer)
    else this.items.chunks[hash] = value as Json
    return true
  }
}
