// Receives a session and a place in its conversation; returns that page of messages as D1 has it.
// Invariant: the same messages that the session's log gives, or nothing: a body that was cut to fit is in the log alone.
import { Effect } from "effect"
import type { MessagesPage } from "../schemas/session-rpc.ts"
import { pageOf } from "../views/message-page.ts"
import { attempt, type StoreError } from "./store-error.ts"

const PAGE_SQL = `SELECT position, info FROM messages
WHERE tenant = ?1 AND session_id = ?2 AND position > ?3 ORDER BY position LIMIT ?4`

const PARTS_SQL = `SELECT message_position, part FROM parts
WHERE tenant = ?1 AND session_id = ?2 AND message_position > ?3 AND message_position <= (
  SELECT MAX(position) FROM (SELECT position FROM messages
    WHERE tenant = ?1 AND session_id = ?2 AND position > ?3 ORDER BY position LIMIT ?4))
ORDER BY message_position, position`

const PLACE_SQL = "SELECT position FROM messages WHERE tenant = ?1 AND session_id = ?2 AND id = ?3"

export interface MessagesQuery {
  readonly after?: string
  readonly limit: number
}

/** A page as `SessionRpc.messages` gives it; null when the log has to be asked. */
export const storedMessages = Effect.fn("store.storedMessages")(function* (
  db: D1Database,
  tenant: string,
  sessionId: string,
  { after, limit }: MessagesQuery,
): Effect.fn.Return<MessagesPage | null, StoreError> {
  const place =
    after === undefined
      ? 0
      : yield* attempt("messages", () => db.prepare(PLACE_SQL).bind(tenant, sessionId, after).first<number>("position"))
  if (place === null) return null
  // One batch is one transaction: both lists are of the same moment.
  const [infos, parts] = yield* attempt("messages", () =>
    db.batch<{
      readonly position: number
      readonly message_position: number
      readonly info: string
      readonly part: string
    }>([
      db.prepare(PAGE_SQL).bind(tenant, sessionId, place, limit + 1),
      db.prepare(PARTS_SQL).bind(tenant, sessionId, place, limit),
    ]),
  )
  if (infos === undefined || parts === undefined) return null
  const rows = infos.results.slice(0, limit)
  const bodies = [...rows.map(({ info }) => parse(info)), ...parts.results.map(({ part }) => parse(part))]
  if (bodies.some(isCut)) return null
  const byMessage = new Map<number, Array<Body>>(rows.map(({ position }) => [position, []]))
  for (const [index, { message_position }] of parts.results.entries()) {
    const part = bodies[rows.length + index]
    if (part !== undefined) byMessage.get(message_position)?.push(part)
  }
  const messages = pageOf(
    rows.map(({ position }, index) => ({ info: bodies[index], parts: byMessage.get(position) ?? [] })),
    limit,
  )
  return { messages, has_more: infos.results.length > messages.length }
})

type Body = Readonly<Record<string, unknown>>

/** The projection's own JSON. */
const parse = (json: string): Body => JSON.parse(json) as Body

/** As `cutJson` marks it. */
const isCut = (body: Body): boolean => body.truncated === true
