// Parameters, headers and answers that several rows of the route table share.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/api.ts"
import { LiveEvent } from "../../schemas/api/stream-events.ts"
import { TurnAccepted } from "../../schemas/api/turns.ts"
import { Uuid } from "../../schemas/ids.ts"
import { ResultMessage } from "../../schemas/sdk/messages/message-unions.ts"
import { Signal } from "../../schemas/signal.ts"
import type { Answer, Route } from "../route.ts"
import type { HeaderName } from "./headers.ts"
import { StreamFrames } from "./view-frames.ts"

/** The body of a request without fields; it may be absent. (A struct without fields would accept any value.) */
export const NoFields = Schema.Record(
  Schema.String,
  Schema.Never.annotate({ message: "Is not a known field. Send an empty object" }),
)
export const SessionId = Schema.Struct({ id: Uuid })
export const Limit = (maximum: number) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })))
export const Seq = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
/** The seq of the event at which a past state is read. */
export const At = Schema.optionalKey(
  Schema.Int.check(
    Schema.isBetween(
      { minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      { message: "Expected the seq of an event: a whole number from 1 on" },
    ),
  ).annotate({
    description: "The state right after the event with this `seq`. A number after the end of the log is a 400.",
  }),
)
export const Order = Schema.optionalKey(Schema.Literals(["asc", "desc"]))
export const Cursor = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000)))
export const Instant = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z)?$/, {
    message: "Expected a day (2026-01-31) or a time in UTC (2026-01-31T12:00:00Z)",
  }),
).annotate({
  description: "A day (`2026-01-31`) or a time in UTC (`2026-01-31T12:00:00Z`).",
})

export const answer = (description: string, body: Schema.Top, ...headers: ReadonlyArray<HeaderName>): Answer => ({
  description,
  body,
  ...(headers.length === 0 ? {} : { headers }),
})
export const list = (key: string, item: Schema.Top, more: Record<string, Schema.Top> = {}): Schema.Top =>
  Schema.Struct({ [key]: Schema.Array(item), ...more })
/** A page of a list, and the cursor of the next page. */
export const page = (item: Schema.Top): Schema.Top => list("data", item, { next_cursor: Schema.NullOr(Schema.String) })
export const IDEMPOTENCY = {
  "Idempotency-Key":
    "At most 255 characters, without a comma and a space. A request with the same key and body returns the response of the first request, with `Idempotent-Replayed: true`; with another body it is a 422.",
}
/** A row that creates something without a client-chosen id, and therefore accepts an Idempotency-Key. */
export const onceRoute = <P = unknown, Q = unknown, B = unknown>(row: Route<P, Q, B>): Route<P, Q, B> => ({
  ...row,
  once: true,
  headers: {
    "Idempotency-Key":
      "At most 255 characters, without a comma and a space. The same request with the same key and API key within 24 hours is not executed again: it gets the first response, including its secret, with `Idempotent-Replayed: true`. While the first request is in progress it is a 409; another request with the key is a 422.",
  },
  answers: Object.fromEntries(
    Object.entries(row.answers).map(([status, made]) => [
      status,
      { ...made, headers: [...(made.headers ?? []), "idempotent-replayed" as const] },
    ]),
  ),
  errors: [...(row.errors ?? []), "conflict_error", "unprocessable_error"],
})
export const QUERY_HEADERS = {
  ...IDEMPOTENCY,
  Accept:
    "`text/event-stream` streams the turn's SDK messages until its `result`, and open asks as `event: ask`. If `application/json` is accepted too, `text/event-stream` must be preferred or listed first.",
  Prefer: "`respond-async` returns 202 immediately.",
  "Last-Event-ID":
    "For resuming a stream with the same `Idempotency-Key`: the last id that was received. The stream continues after it.",
}
const TURN_HEADERS: ReadonlyArray<HeaderName> = ["perch-session-id", "perch-turn-id", "idempotent-replayed"]
export const QUERY_ANSWERS: Readonly<Record<number, Answer>> = {
  200: {
    ...answer("The turn's `result` message; with `Accept: text/event-stream` the turn's messages.", ResultMessage),
    events: LiveEvent,
    headers: TURN_HEADERS,
  },
  202: {
    ...answer("The turn is still running, or waits for an answer.", TurnAccepted),
    headers: [...TURN_HEADERS, "preference-applied", "location"],
  },
}
/** The ticket of a client that can't send headers; the document has it as a security scheme. */
export const Ticket = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2048)))
export const Client = Schema.optionalKey(Api.ClientName)
export const SSE: Answer = {
  description:
    "`id:` is the event's seq (durable events only), `data:` its JSON on one line; a comment every 15 s. " +
    "SDK messages have no `event:` name. `event: ask` is an open ask (`type: ask` and the fields of `PendingAsk`), `event: ask_settled` reports that it was settled.",
  events: Schema.Union([LiveEvent, Signal, ...StreamFrames]),
}
