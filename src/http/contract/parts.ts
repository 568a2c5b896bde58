// The pieces that rows of the route table share: parameters, headers and answers.
import { Schema } from "effect"
import * as Api from "../../schemas/api.ts"
import { Uuid } from "../../schemas/ids.ts"
import type { Answer } from "../route.ts"

export const SessionId = Schema.Struct({ id: Uuid })
export const Limit = (maximum: number) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum })))
export const Seq = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
export const Order = Schema.optionalKey(Schema.Literals(["asc", "desc"]))
export const Cursor = Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1000)))
export const Instant = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z)?$/, {
    message: "Expected a day (2026-01-31) or a moment in UTC (2026-01-31T12:00:00Z)",
  }),
).annotate({
  description: "A day (`2026-01-31`) or a moment in UTC (`2026-01-31T12:00:00Z`).",
})

export const answer = (description: string, body: Schema.Top): Answer => ({ description, body })
export const list = (key: string, item: Schema.Top, more: Record<string, Schema.Top> = {}): Schema.Top =>
  Schema.Struct({ [key]: Schema.Array(item), ...more })
export const IDEMPOTENCY = {
  "Idempotency-Key": "At most 255 characters. The same key and body again give the same answer; another body is a 422.",
}
export const QUERY_HEADERS = {
  ...IDEMPOTENCY,
  Accept: "`text/event-stream` streams the turn's SDK messages until its `result`.",
  Prefer: "`respond-async` answers 202 at once.",
}
export const QUERY_ANSWERS = {
  200: answer("The turn's `result` message; with `Accept: text/event-stream` the turn's messages.", Api.ResultMessage),
  202: answer("The turn goes on, or waits for an answer.", Api.TurnAccepted),
}
/** For clients that cannot send headers; the document has it as a security scheme. */
export const Ticket = Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2048)))
export const Client = Schema.optionalKey(Api.ClientName)
export const SSE: Answer = {
  description: "`id:` is the event's seq (durable events only), `data:` its JSON; a comment every 15 s.",
  contentType: "text/event-stream",
}
