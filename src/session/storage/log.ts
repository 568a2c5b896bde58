// The session's log: receives new events, numbers and stores them, and reads them back.
// Invariant: `seq` has no gap and no repeat, and an event and the state it implies commit in one transaction, before
// it is delivered.
import type { EventName } from "../../schemas/log/event-payloads.ts"
import type { EphemeralEvent, EventHead, LogEvent, NewEvent } from "../../schemas/log/events.ts"
import { Blobs } from "../../workspace/blobs.ts"
import { withoutDeepLevels, wellFormedJson } from "../../schemas/bounded-json.ts"
import { fromStoredText, hasMarks, toStoredText, wholeBytes } from "../../schemas/log/media-mark.ts"
import { Media } from "../media/media.ts"
import type { AllQuery, EventQuery } from "./event-query.ts"
import { insertEventsSql, isOneStatement, MAX_ROW, ROWS_PER_STATEMENT } from "./insert-events.ts"
import type { LogRider } from "./log-rider.ts"
import type { Sql } from "./tables.ts"

/** Maximum of payload characters that are read at once. */
const READ_ROOM = 8 * 1024 * 1024
/** Maximum number of levels of a payload: those of a value from outside, and what Perch puts around it. */
export const LOG_DEPTH = 200

/**
 * The JSON of a payload as it is read and written: values below `LOG_DEPTH` levels are replaced by a mark, and no string has
 * half of a character, wherever it was cut.
 */
export const logText = (json: string): string => wellFormedJson(withoutDeepLevels(json, LOG_DEPTH))

/**
 * An event as the log stores it: with marks in the place of its media, see `media-mark.ts`. `json` is the payload's JSON, so
 * that it need not be serialized again; `SessionLog.media` puts the media back.
 */
export interface StoredEvent<N extends EventName = EventName> {
  readonly event: LogEvent<N>
  readonly json: string
  /** Emitted to clients right after it. */
  readonly after?: ReadonlyArray<EphemeralEvent>
}

export interface LogDeps {
  readonly sql: Sql
  readonly transactionSync: <A>(run: () => A) => A
  readonly now: () => number
  readonly newUuid: () => string
}

/** A row of the log's table. */
export type LogRow = {
  seq: number
  name: string
  uuid: string
  turn: string | null
  parent: string | null
  at: number
  stored: number
  json: string
}

/** The seq, uuid and time of an event. */
export type Stamp = Pick<LogRow, "seq" | "uuid" | "at">

/** How a row's `json` is to be read, as flags: it is the hash of a blob; it contains marks. */
export const IN_BLOB = 1
export const WITH_MARKS = 2

/** An event with its payload as JSON. */
export interface PagedEvent {
  readonly event: EventHead
  readonly json: string
}

/** The names of events that start with the text. */
type Beginning<P extends string> = Extract<EventName, `${P}${string}`>

export class SessionLog {
  readonly media: Media
  readonly #deps: LogDeps
  readonly #blobs: Blobs
  readonly #rider: LogRider | undefined
  #lastSeq = 0
  #lastAt = 0

  constructor(deps: LogDeps, rider?: LogRider) {
    this.#deps = deps
    this.#rider = rider
    this.#blobs = new Blobs(deps.sql)
    this.media = new Media(this.#blobs)
    this.#readLast()
  }

  #readLast(): void {
    const last = this.#deps.sql
      .exec<{ seq: number; at: number }>("SELECT seq, at FROM events ORDER BY seq DESC LIMIT 1")
      .toArray()[0]
    this.#lastSeq = last?.seq ?? 0
    this.#lastAt = last?.at ?? 0
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** When the last event was written, in milliseconds since 1970. */
  get lastAt(): number {
    return this.#lastAt
  }

  /**
   * Writes events and, in the same transaction, the state that they imply (`change`); returns them as they are stored.
   * `onNumbered` gets each event before it is inserted. `later` may return more events once the first are inserted. When it
   * throws, nothing was written.
   */
  append(
    events: ReadonlyArray<NewEvent>,
    change?: (written: ReadonlyArray<LogEvent>) => void,
    onNumbered?: (stored: StoredEvent) => void,
    later?: () => ReadonlyArray<NewEvent>,
  ): ReadonlyArray<StoredEvent> {
    const stored: Array<StoredEvent> = []
    const take = (list: ReadonlyArray<NewEvent>): ReadonlyArray<StoredEvent> => {
      const placed = list.map((event) => this.#place(event))
      if (onNumbered !== undefined) for (const one of placed) onNumbered(one)
      stored.push(...placed)
      return placed
    }
    try {
      const first = take(events)
      const rider = this.#rider?.isDue(events) === true ? this.#rider : undefined
      // One statement is a transaction of its own, and here the last thing that can fail.
      if (change === undefined && later === undefined && rider === undefined && isOneStatement(first))
        this.#insert(first)
      else
        this.#deps.transactionSync(() => {
          rider?.write()
          this.#insert(first)
          if (later !== undefined) this.#insert(take(later()))
          change?.(stored.map((one) => one.event))
        })
      rider?.committed()
    } catch (error) {
      this.#rider?.rolledBack()
      this.#readLast()
      throw error
    }
    return stored
  }

  /** Assigns the next seq, a uuid and the time to an event, and stores its media. */
  #place(event: NewEvent): StoredEvent {
    const payload = this.media.hold(event.name, event.payload)
    const fullJson = JSON.stringify(payload)
    const json = logText(fullJson)
    this.#lastSeq += 1
    this.#lastAt = Math.max(this.#deps.now(), this.#lastAt)
    const placed = {
      seq: this.#lastSeq,
      name: event.name,
      uuid: event.uuid ?? this.#deps.newUuid(),
      turn: event.turn ?? null,
      parent_tool_use_id: event.parent_tool_use_id ?? null,
      at: this.#lastAt,
      // Can't fail: but for marks of media and cut levels, it is the payload that came with this name.
      payload: json === fullJson ? payload : JSON.parse(json),
    } as LogEvent
    return { event: placed, json, ...(event.after === undefined ? {} : { after: event.after }) }
  }

  /**
   * Writes an event of another session's log with the same seq and time; its media are marks. Call it inside a transaction;
   * the event is not delivered. Throws when its seq does not follow the last one.
   */
  copy(event: EventHead, json: string): void {
    if (event.seq !== this.#lastSeq + 1) throw new Error("a copied event does not follow the last one")
    this.#insert([{ event, json }])
    this.#lastSeq = event.seq
    this.#lastAt = event.at
  }

  /** One statement for several rows: each statement costs more than a row. */
  #insert(list: ReadonlyArray<PagedEvent>): void {
    for (let from = 0; from < list.length; from += ROWS_PER_STATEMENT) {
      const rows = list.slice(from, from + ROWS_PER_STATEMENT)
      const values = rows.flatMap(({ event, json }) => {
        const long = json.length > MAX_ROW
        const marked = hasMarks(json)
        const stored = marked ? toStoredText(json) : json
        const text = long ? this.#blobs.putBlob(new TextEncoder().encode(stored)) : stored
        const { seq, name, uuid, turn, parent_tool_use_id: parent, at } = event
        return [seq, name, uuid, turn, parent, at, (long ? IN_BLOB : 0) + (marked ? WITH_MARKS : 0), text]
      })
      this.#deps.sql.exec(insertEventsSql(rows.length), ...values)
    }
  }

  /** The next events, at most `limit` of them: fewer when they have more than `most` characters, but at least one if there is one. */
  read<N extends EventName = EventName>(query: EventQuery<N>, most = READ_ROOM): ReadonlyArray<StoredEvent<N>> {
    const events: Array<StoredEvent<N>> = []
    let room = most
    for (const row of this.#rows(query)) {
      if (room <= 0) break
      const stored = this.#toEvent<N>(row)
      room -= stored.json.length
      if (room < 0 && events.length > 0) break
      events.push(stored)
    }
    return events
  }

  /**
   * The next events, at most `limit` and at most `bytes` of UTF-8 with their media: more only when the first alone has more.
   * `more` is true when there is an event after them.
   */
  page(query: EventQuery, bytes: number): { readonly events: ReadonlyArray<PagedEvent>; readonly more: boolean } {
    const events: Array<PagedEvent> = []
    let room = bytes
    for (const row of this.#rows({ ...query, limit: query.limit + 1 })) {
      if (events.length === query.limit) return { events, more: true }
      const json = this.#textOf(row)
      const { seq, name, uuid, turn, parent: parent_tool_use_id, at } = row
      room -= wholeBytes(json)
      if (room < 0 && events.length > 0) return { events, more: true }
      events.push({ event: { seq, name, uuid, turn, parent_tool_use_id, at }, json })
    }
    return { events, more: false }
  }

  #rows(query: EventQuery): Iterable<LogRow> {
    const descending = query.order === "desc"
    const filters = [descending ? "seq < ?" : "seq > ?"]
    const bindings: Array<string | number> = [descending && query.after === 0 ? Number.MAX_SAFE_INTEGER : query.after]
    for (const column of ["name", "turn", "parent"] as const) {
      const value = query[column]
      if (value === undefined) continue
      filters.push(`${column} = ?`)
      bindings.push(value)
    }
    if (query.among !== undefined) {
      filters.push(descending ? "seq >= ?" : "seq <= ?", "name IN (SELECT value FROM json_each(?))")
      bindings.push(query.among.through, JSON.stringify(query.among.names))
    }
    return this.#deps.sql.exec<LogRow>(
      `SELECT * FROM events WHERE ${filters.join(" AND ")} ORDER BY seq ${descending ? "DESC" : "ASC"} LIMIT ?`,
      ...bindings,
      query.limit,
    )
  }

  /** The names of the next `rows` events, each with the seq of its last one. */
  namesFrom({ after, order }: EventQuery, rows: number): ReadonlyArray<Pick<LogRow, "name" | "seq">> {
    const [beyond, last, way] = order === "desc" ? ["<", "min", "DESC"] : [">", "max", "ASC"]
    const sql = `SELECT name, ${last}(seq) AS seq FROM (SELECT name, seq FROM events WHERE seq ${beyond} ? ORDER BY seq ${way} LIMIT ?) GROUP BY name`
    const from = order === "desc" && after === 0 ? Number.MAX_SAFE_INTEGER : after
    return this.#deps.sql.exec<Pick<LogRow, "name" | "seq">>(sql, from, rows).toArray()
  }

  /** Every event after `after` that matches, in order and a page at a time, so that a long log is never whole in memory. */
  *all<N extends EventName = EventName>(
    after = 0,
    { most = READ_ROOM, limit = 200, ...match }: AllQuery<N> = {},
  ): Generator<StoredEvent<N>> {
    for (let from = after; from < this.#lastSeq;) {
      const page = this.read<N>({ ...match, after: from, limit, order: "asc" }, most)
      yield* page
      const last = page.at(-1)
      if (last === undefined) return
      from = last.event.seq
    }
  }

  /** The newest event whose name starts with `prefix`. */
  lastNamed<P extends string>(prefix: P): StoredEvent<Beginning<P>> | undefined {
    const rows = this.#deps.sql.exec<LogRow>(
      "SELECT * FROM events WHERE substr(name, 1, ?) = ? ORDER BY seq DESC LIMIT 1",
      prefix.length,
      prefix,
    )
    return rows.toArray().map((row) => this.#toEvent<Beginning<P>>(row))[0]
  }

  /** seq of each event with one of these names and `after < seq <= through`, the first `limit` of them. */
  seqsNamed(
    names: ReadonlyArray<EventName>,
    { after, through, limit }: { readonly after: number; readonly through: number; readonly limit: number },
  ): ReadonlyArray<number> {
    const any = names.map(() => "?").join(", ")
    const sql = `SELECT seq FROM events WHERE seq > ? AND seq <= ? AND name IN (${any}) ORDER BY seq LIMIT ?`
    const rows = this.#deps.sql.exec<{ seq: number }>(sql, after, through, ...names, limit)
    return rows.toArray().map(({ seq }) => seq)
  }

  at(seq: number): StoredEvent | undefined {
    return this.read({ after: seq - 1, limit: 1, order: "asc" })[0]
  }

  /** The first event at `at` (milliseconds since 1970) or later, if any. Not exact in an imported log: its times may go back. */
  firstAt(at: number): Stamp | undefined {
    let [from, to] = [1, this.#lastSeq + 1]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      if ((this.stampOf(middle)?.at ?? 0) < at) from = middle + 1
      else to = middle
    }
    return this.stampOf(from)
  }

  /** The parts of an event from which the ids of its messages are made. */
  stampOf(seq: number): Stamp | undefined {
    return this.#deps.sql.exec<Stamp>("SELECT seq, uuid, at FROM events WHERE seq = ?", seq).toArray()[0]
  }

  /** The event at `seq`, if it has that name. */
  atNamed<N extends EventName>(seq: number, name: N): StoredEvent<N> | undefined {
    const stored = this.at(seq)
    // Can't fail: the name was compared.
    return stored?.event.name === name ? (stored as StoredEvent<N>) : undefined
  }

  /** `N` is what the query asked for. */
  #toEvent<N extends EventName>(row: LogRow): StoredEvent<N> {
    const json = this.#textOf(row)
    const event: EventHead & { readonly payload: unknown } = {
      seq: row.seq,
      name: row.name,
      uuid: row.uuid,
      turn: row.turn,
      parent_tool_use_id: row.parent,
      at: row.at,
      payload: JSON.parse(json),
    }
    // Can't fail: the log wrote this payload with this name.
    return { event: event as LogEvent<N>, json }
  }

  #textOf({ stored, json }: Pick<LogRow, "stored" | "json">): string {
    const text = (stored & IN_BLOB) === 0 ? json : this.#blob(json)
    return logText((stored & WITH_MARKS) === 0 ? text : fromStoredText(text))
  }

  #blob(hash: string): string {
    const bytes = this.#blobs.getBlob(hash)
    if (bytes === undefined) throw new Error("an event of the log has lost its payload")
    return new TextDecoder().decode(bytes)
  }
}
