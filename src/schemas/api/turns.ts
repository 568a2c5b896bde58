// A turn as the API shows it: its status, what it waits for, and its result.
// Invariant: a status has the same name wherever it is shown; a turn that has ended never changes again.
import * as Schema from "effect/Schema"
import { PendingAsk } from "./api.ts"
import { ResultMessage } from "../sdk/messages/message-unions.ts"
import { LaneInfo, TurnState } from "../rpc/turns.ts"

/** `GET /v1/sessions/{id}/turns/{turn_id}`. Times are ISO 8601. */
export const Turn = Schema.Struct({
  type: Schema.Literal("turn"),
  session_id: Schema.String,
  turn_id: Schema.String.annotate({ description: "The prompt's uuid." }),
  status: TurnState,
  joined_turn_id: Schema.NullOr(Schema.String).annotate({
    description:
      "The turn that this prompt became part of, when prompts were joined into one turn. Status, pending asks, result and times are then that turn's.",
  }),
  pending: Schema.Array(PendingAsk).annotate({
    description:
      "The asks that block the turn: its own, or, while it is `queued`, those of the turn that runs before it.",
  }),
  result: Schema.NullOr(ResultMessage).annotate({
    description: "The turn's `result` message; null until it has ended, and for a turn that never ran.",
  }),
  cost_usd: Schema.NullOr(Schema.Finite).annotate({
    description:
      "The cost of the turn's own model requests so far. Null when one of them has no known price, and for a prompt that joined another turn, which contains the cost.",
  }),
  queued_at: Schema.String,
  started_at: Schema.NullOr(Schema.String),
  ended_at: Schema.NullOr(Schema.String),
  first_seq: Schema.Int.annotate({
    description: "The seq of the turn's first event: `GET …/events/stream?after=` one less shows all of its messages.",
  }),
  last_seq: Schema.NullOr(Schema.Int).annotate({ description: "The seq of the event that ended the turn." }),
  lane: Schema.optionalKey(LaneInfo),
}).annotate({ identifier: "Turn" })

/** The response to a query whose turn has not ended yet. */
export const TurnAccepted = Schema.Struct({
  session_id: Schema.String,
  turn_id: Schema.String,
  status: TurnState,
  pending: Schema.Array(PendingAsk).annotate({
    description: "As in `Turn`: answer these, then read the turn at the URL in `Location`.",
  }),
}).annotate({ identifier: "TurnAccepted" })
