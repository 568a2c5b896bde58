// Receives the key of a page's last row; returns an opaque cursor, and the key again when a client sends it back.
// Invariant: a cursor contains only the position where a page begins; the tenant always comes from the caller's key.
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Base64Url } from "effect/encoding"
import { InvalidCursor } from "./store-error.ts"

const Key = Schema.fromJsonString(
  Schema.Tuple([Schema.String.check(Schema.isMaxLength(200)), Schema.String.check(Schema.isMaxLength(200))]),
)
const decodeKey = Schema.decodeUnknownEffect(Key)

export type PageKey = readonly [string, string]

export const encodeCursor = (key: PageKey): string => Base64Url.encode(JSON.stringify(key))

/** The key in a cursor; fails with InvalidCursor for a text that `encodeCursor` did not make. */
export const decodeCursor = Effect.fn("store.decodeCursor")(
  function* (cursor: string) {
    if (cursor.length > 2048) return yield* new InvalidCursor({ message: "cursor must be the next_cursor of a page" })
    const text = yield* Effect.fromResult(Base64Url.decodeString(cursor))
    return yield* decodeKey(text)
  },
  Effect.mapError(() => new InvalidCursor({ message: "cursor must be the next_cursor of a page" })),
)
