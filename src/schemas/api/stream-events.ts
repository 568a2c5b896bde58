// The events of a session's stream that are no SDK messages. The name of each SSE event is the `type` of its data.
import * as Schema from "effect/Schema"
import { SDKMessage } from "../sdk/messages/message-unions.ts"
import { LaneInfo } from "../rpc/turns.ts"
import { PendingAsk } from "./api.ts"

/** `event: ask`: an open ask. */
export const AskEvent = Schema.Struct({ type: Schema.Literal("ask"), ...PendingAsk.fields }).annotate({
  identifier: "AskEvent",
})
export type AskEvent = typeof AskEvent.Type

/** `event: ask_settled` */
export const AskSettledEvent = Schema.Struct({
  type: Schema.Literal("ask_settled"),
  request_id: Schema.String,
  turn_id: Schema.NullOr(Schema.String),
  by: Schema.Literals(["client", "hook", "expiry", "interrupt", "failure"]),
  behavior: Schema.optionalKey(
    Schema.Literals(["allow", "deny"]).annotate({ description: "Absent for a call that a client runs itself." }),
  ),
  action: Schema.optionalKey(
    Schema.Literals(["accept", "decline", "cancel"]).annotate({ description: "Of an elicitation." }),
  ),
}).annotate({
  identifier: "AskSettledEvent",
})
export type AskSettledEvent = typeof AskSettledEvent.Type

/** `event: turn_cancelled` */
export const TurnCancelledEvent = Schema.Struct({
  type: Schema.Literal("turn_cancelled"),
  turn_id: Schema.NullOr(Schema.String),
}).annotate({
  identifier: "TurnCancelledEvent",
})
export type TurnCancelledEvent = typeof TurnCancelledEvent.Type

/** `event: lane_waiting` */
export const LaneWaitingEvent = Schema.Struct({
  type: Schema.Literal("lane_waiting"),
  turn_id: Schema.NullOr(Schema.String),
  ...LaneInfo.fields,
}).annotate({
  identifier: "LaneWaitingEvent",
})
export type LaneWaitingEvent = typeof LaneWaitingEvent.Type

/** `event: lane_entered` */
export const LaneEnteredEvent = Schema.Struct({
  type: Schema.Literal("lane_entered"),
  turn_id: Schema.NullOr(Schema.String),
  waited_ms: Schema.Int.annotate({ description: "How long the turn waited." }),
}).annotate({
  identifier: "LaneEnteredEvent",
})
export type LaneEnteredEvent = typeof LaneEnteredEvent.Type

/** The data of one event of a stream. */
export const LiveEvent = Schema.Union([
  SDKMessage,
  AskEvent,
  AskSettledEvent,
  TurnCancelledEvent,
  LaneWaitingEvent,
  LaneEnteredEvent,
]).annotate({
  identifier: "LiveEvent",
})
