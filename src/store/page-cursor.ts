// Receives the key of a page's last row; returns an opaque cursor, and the key again when a client sends it back.
// Invariant: a cursor contains only its list and the position where a page begins; the tenant always comes from the caller's
// key. A cursor of another list is refused, because its key would select wrong rows, or none.
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Base64Url } from "effect/encoding"
import { InvalidCursor } from "./store-error.ts"

const Text = Schema.String.check(Schema.isMaxLength(200))
/** A cursor of an earlier version has no list. */
const Content = Schema.fromJsonString(Schema.Union([Schema.Tuple([Text, Text, Text]), Schema.Tuple([Text, Text])]))
const decodeContent = Schema.decodeUnknownResult(Content)

export type PageKey = readonly [string, string]

export const encodeCursor = (list: string, [first, second]: PageKey): string =>
  Base64Url.encode(JSON.stringify([list, first, second]))

/** The key in a cursor; fails with InvalidCursor for a text that `encodeCursor` did not make, or made for another list. */
export const decodeCursor = Effect.fn("store.decodeCursor")(function* (
  list: string,
  cursor: string,
): Effect.fn.Return<PageKey, InvalidCursor> {
  const content = cursor.length > 2048 ? undefined : Result.getOrUndefined(contentOf(cursor))
  if (content === undefined) return yield* new InvalidCursor({ message: "cursor must be the next_cursor of a page" })
  if (content.length === 2) return content
  const [of, first, second] = content
  if (of === list) return [first, second]
  return yield* new InvalidCursor({
    message: "cursor belongs to another list. Send the next_cursor of a page of this list",
  })
})

const contentOf = (cursor: string) => Result.flatMap(Base64Url.decodeString(cursor), (text) => decodeContent(text))
