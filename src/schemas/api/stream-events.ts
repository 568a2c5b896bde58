// The events of a session's stream that are no SDK messages. Each has its `type` as the name of its SSE event too.
import { Schema } from "effect"
import { Pending } from "./api.ts"

/** `event: ask`: what is asked, for as long as it is open. */
export const AskEvent = Schema.Struct({ type: Schema.Literal("ask"), ...Pending.fields }).annotate({
  identifier: "AskEvent",
  description: "`event: ask`: an ask that is open, as `GET …/permissions` lists it.",
})
export type AskEvent = typeof AskEvent.Type

/** `event: ask_settled` */
export const AskSettledEvent = Schema.Struct({
  type: Schema.Literal("ask_settled"),
  request_id: Schema.String,
  turn_id: Schema.NullOr(Schema.String),
  by: Schema.Literals(["client", "hook", "expiry", "interrupt", "failure"]),
  behavior: Schema.optionalKey(
    Schema.Literals(["allow", "deny"]).annotate({ description: "Absent for a call that a client carries out itself." }),
  ),
}).annotate({
  identifier: "AskSettledEvent",
  description: "`event: ask_settled`: the ask needs no answer any more. Carries who or what settled it.",
})
export type AskSettledEvent = typeof AskSettledEvent.Type

/** `event: turn_cancelled` */
export const TurnCancelledEvent = Schema.Struct({
  type: Schema.Literal("turn_cancelled"),
  turn_id: Schema.NullOr(Schema.String),
}).annotate({
  identifier: "TurnCancelledEvent",
  description: "`event: turn_cancelled`: the prompt of this stream was taken back before it ran. The stream ends.",
})
export type TurnCancelledEvent = typeof TurnCancelledEvent.Type
