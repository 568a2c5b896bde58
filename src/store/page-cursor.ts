// Receives the rows of a list, one more than its page has; returns the page, whose cursor has the key of its last row, and that
// key again when a client sends the cursor back.
// Invariant: a cursor contains only its list and the position where a page begins; the tenant always comes from the caller's
// key. A cursor of another list is refused, because its key would select wrong rows, or none.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Base64Url from "effect/encoding/Base64Url"
import { InvalidCursor } from "./store-error.ts"

const Text = Schema.String.check(Schema.isMaxLength(200))
/** A cursor of an earlier version has no list. */
const Content = Schema.fromJsonString(Schema.Union([Schema.Tuple([Text, Text, Text]), Schema.Tuple([Text, Text])]))
const decodeContent = Schema.decodeUnknownResult(Content)

/** A page of a list; `next_cursor` is null on the last one. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly next_cursor: string | null
}

/** The page of the first `limit` rows. `rows` has one more if another page follows; `cursorOf` names the page's last row. */
export const pageOf = <Row, Item>(
  rows: ReadonlyArray<Row>,
  limit: number,
  toItem: (row: Row) => Item,
  cursorOf: (last: Row) => string,
): Page<Item> => {
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { data: shown.map(toItem), next_cursor: last === undefined ? null : cursorOf(last) }
}

export type PageKey = readonly [string, string]

export const encodeCursor = (list: string, [first, second]: PageKey): string =>
  Base64Url.encode(JSON.stringify([list, first, second]))

/** The key in a cursor; fails with InvalidCursor for a text that `encodeCursor` did not make, or made for another list. */
export const decodeCursor = Effect.fn("store.decodeCursor")(function* (
  list: string,
  cursor: string,
): Effect.fn.Return<PageKey, InvalidCursor> {
  const content = cursor.length > 2048 ? undefined : Result.getOrUndefined(contentOf(cursor))
  if (content === undefined) return yield* new InvalidCursor({ message: "must be the next_cursor of a page" })
  if (content.length === 2) return content
  const [of, first, second] = content
  if (of === list) return [first, second]
  return yield* new InvalidCursor({
    message: "belongs to another list or order. Send the next_cursor of a page of this list.",
  })
})

const contentOf = (cursor: string) => Result.flatMap(Base64Url.decodeString(cursor), (text) => decodeContent(text))
