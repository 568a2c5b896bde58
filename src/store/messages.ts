// Receives a session and a position in its conversation; returns that page of messages from D1.
// Invariant: it returns the messages that the session's log would, or null: a body that was cut to fit is whole in the log alone.
import * as Effect from "effect/Effect"
import type { MessagesPage } from "../schemas/rpc/reports.ts"
import { MessagePage, PAGE_BYTES } from "../views/parts/message-page.ts"
import { attempt, type StoreError } from "./store-error.ts"

/** The statements for one order: `beyond` compares a position with the page's start, `last` finds its farthest position. */
const statements = (direction: "ASC" | "DESC", beyond: ">" | "<", last: "MAX" | "MIN") => ({
  page: `SELECT position, info FROM messages
WHERE tenant = ?1 AND session_id = ?2 AND position ${beyond} ?3 ORDER BY position ${direction} LIMIT ?4`,
  /** `done` is the length of all earlier parts: D1 returns a page (?5 characters) of parts, and the part that exceeds it. */
  parts: `SELECT message_position, part FROM (
  SELECT message_position, position, part,
    SUM(LENGTH(part)) OVER (ORDER BY message_position ${direction}, position) - LENGTH(part) AS done
  FROM parts
  WHERE tenant = ?1 AND session_id = ?2 AND message_position ${beyond} ?3 AND message_position ${beyond === ">" ? "<=" : ">="} (
    SELECT ${last}(position) FROM (SELECT position FROM messages
      WHERE tenant = ?1 AND session_id = ?2 AND position ${beyond} ?3 ORDER BY position ${direction} LIMIT ?4)))
WHERE done <= ?5 ORDER BY message_position ${direction}, position`,
})

const SQL = { asc: statements("ASC", ">", "MAX"), desc: statements("DESC", "<", "MIN") }

const PLACE_SQL = "SELECT position FROM messages WHERE tenant = ?1 AND session_id = ?2 AND id = ?3"

/** The same by the position that the log has for the message: the reader may have an id that an earlier version gave it. */
const KNOWN_PLACE_SQL = "SELECT position FROM messages WHERE tenant = ?1 AND session_id = ?2 AND position = ?3"

export interface MessagesQuery {
  readonly after?: string
  /** The position that the log has for the message `after`, if it is known. */
  readonly place?: number
  readonly limit: number
  /** `desc`: the newest first; the page then has the messages that are older than `after`. */
  readonly order?: "asc" | "desc"
}

/** A page as `SessionRpc.messages` returns it; null when it must be read from the log. */
export const storedMessages = Effect.fn("store.storedMessages")(function* (
  db: D1Database,
  tenant: string,
  sessionId: string,
  { after, place: logged, limit, order = "asc" }: MessagesQuery,
): Effect.fn.Return<MessagesPage | null, StoreError> {
  const place =
    after === undefined
      ? order === "asc"
        ? 0
        : Number.MAX_SAFE_INTEGER
      : yield* attempt("messages", () =>
          logged === undefined
            ? db.prepare(PLACE_SQL).bind(tenant, sessionId, after).first<number>("position")
            : db.prepare(KNOWN_PLACE_SQL).bind(tenant, sessionId, logged).first<number>("position"),
        )
  if (place === null) return null
  // One batch is one transaction, so both lists are consistent.
  const [infos, parts] = yield* attempt("messages", () =>
    db.batch<{
      readonly position: number
      readonly message_position: number
      readonly info: string
      readonly part: string
    }>([
      db.prepare(SQL[order].page).bind(tenant, sessionId, place, limit + 1),
      db.prepare(SQL[order].parts).bind(tenant, sessionId, place, limit, PAGE_BYTES),
    ]),
  )
  if (infos === undefined || parts === undefined) return null
  const known = parts.results.reduce((sum, { part }) => sum + part.length, 0)
  // The last message with parts in this result may have more parts.
  const doubtful = known > PAGE_BYTES ? parts.results.at(-1)?.message_position : undefined
  const isWhole = (position: number) =>
    doubtful === undefined || (order === "asc" ? position < doubtful : position > doubtful)
  const rows = infos.results.slice(0, limit).filter(({ position }) => isWhole(position))
  if (rows.length === 0 && infos.results.length > 0) return null
  const byMessage = new Map<number, Array<Body>>(rows.map(({ position }) => [position, []]))
  for (const { message_position, part } of parts.results) byMessage.get(message_position)?.push(parse(part))
  const page = new MessagePage<{ readonly info: Body; readonly parts: ReadonlyArray<Body> }>(limit)
  for (const { position, info } of rows) {
    const message = { info: parse(info), parts: byMessage.get(position) ?? [] }
    if (!page.take(message)) break
    if (isCut(message.info) || message.parts.some(isCut)) return null
  }
  return { messages: page.messages, has_more: infos.results.length > page.messages.length }
})

type Body = Readonly<Record<string, unknown>>

/** The projection wrote this JSON, so it needs no decoding. */
const parse = (json: string): Body => JSON.parse(json) as Body

/** True when `cutJson` has shortened the body. */
const isCut = (body: Body): boolean => body.truncated === true
