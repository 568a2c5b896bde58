// Reads a session's latest asks and the tool calls of its latest answers; returns both, settled or not.
// Invariant: only the last `LAST` events of each kind are read: older asks and calls are settled. A session that does not exist
// has none.
import * as Effect from "effect/Effect"
import type { ApiError } from "../errors/errors.ts"
import type { Caller } from "../handle.ts"
import { sessionPage } from "./session-page.ts"

/** The payload of an ask's `ask:opened`, and its turn. */
export interface Asked {
  readonly request_id: string
  readonly kind: string
  readonly tool_use_id: string
  readonly turn: string
}

const LAST = 100

interface Page {
  readonly events: ReadonlyArray<{ readonly turn: string | null; readonly payload: unknown }>
}

export const askedCalls = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
): Effect.fn.Return<{ readonly asked: ReadonlyArray<Asked>; readonly calls: ReadonlySet<string> }, ApiError> {
  const asks = yield* lastOf(caller, id, "ask:opened")
  const answers = yield* lastOf(caller, id, "sdk:assistant")
  const asked = asks.flatMap(({ turn, payload }) =>
    // The session wrote this payload for `ask:opened`.
    turn === null ? [] : [{ ...(payload as Omit<Asked, "turn">), turn }],
  )
  const calls = answers.flatMap(({ payload }) => {
    const { content } = (payload as { readonly message: { readonly content: unknown } }).message // as above
    return Array.isArray(content)
      ? content.flatMap((block: { readonly type: string; readonly id: string }) =>
          block.type === "tool_use" ? [block.id] : [],
        )
      : []
  })
  return { asked, calls: new Set(calls) }
})

const lastOf = Effect.fnUntraced(function* (
  caller: Caller,
  id: string,
  name: string,
): Effect.fn.Return<Page["events"], ApiError> {
  const read = yield* Effect.result(sessionPage(caller, id, "events", { after: 0, limit: LAST, order: "desc", name }))
  if (read._tag === "Failure") return read.failure.type === "not_found_error" ? [] : yield* read.failure
  const { events } = yield* Effect.promise(() => read.success.json() as Promise<Page>) // the object wrote it
  return events
})
