// The schemas of a view's frames, one per format of a session's events that is a view.
// Invariant: each shape has a field or a type that no other has, so that a frame matches only the shape of its format.
import * as Schema from "effect/Schema"
import type { AgUiEvent as SentAgUiEvent } from "../../views/ag-ui/ag-ui-event.ts"

const open = [Schema.Record(Schema.String, Schema.Unknown)] as const

/** Every type of event that the AG-UI view sends; a missing one does not compile. */
const AG_UI_TYPES: Readonly<Record<SentAgUiEvent["type"], true>> = {
  RUN_STARTED: true,
  RUN_FINISHED: true,
  RUN_ERROR: true,
  STEP_STARTED: true,
  STEP_FINISHED: true,
  TEXT_MESSAGE_START: true,
  TEXT_MESSAGE_CONTENT: true,
  TEXT_MESSAGE_END: true,
  REASONING_START: true,
  REASONING_MESSAGE_START: true,
  REASONING_MESSAGE_CONTENT: true,
  REASONING_MESSAGE_END: true,
  REASONING_END: true,
  REASONING_ENCRYPTED_VALUE: true,
  TOOL_CALL_START: true,
  TOOL_CALL_ARGS: true,
  TOOL_CALL_END: true,
  TOOL_CALL_RESULT: true,
  STATE_SNAPSHOT: true,
  STATE_DELTA: true,
  MESSAGES_SNAPSHOT: true,
  CUSTOM: true,
  SUBAGENT_STARTED: true,
  SUBAGENT_FINISHED: true,
  SUBAGENT_ERROR: true,
}

export const AgUiEvent = Schema.StructWithRest(
  Schema.Struct({
    // The keys of the table.
    type: Schema.Literals(Object.keys(AG_UI_TYPES) as ReadonlyArray<SentAgUiEvent["type"]>).annotate({
      description: "The type of the event; its other fields are AG-UI's.",
    }),
  }),
  open,
).annotate({ identifier: "AgUiEvent", description: "An event of AG-UI 1.0." })

/** The callbacks of a channel's runner. */
export const REPLY_TYPES = [
  "assistant_message_start",
  "partial_reply",
  "reasoning_stream",
  "block_reply",
  "block_reply_flush",
  "tool_result",
  "agent_event",
] as const

const ofRun = {
  runId: Schema.String.annotate({ description: "The run's id." }),
  seq: Schema.Int.annotate({ description: "The number of the frame in its run, from 1." }),
}

const ReplyFrame = Schema.StructWithRest(
  Schema.Struct({
    type: Schema.Literals(REPLY_TYPES).annotate({
      description: "The callback that the frame represents; it determines the other fields.",
    }),
    ...ofRun,
  }),
  open,
).annotate({ identifier: "ReplyFrame", description: "What a chat channel shows of a run: `format=reply`." })

const RunEvent = Schema.Struct({
  ...ofRun,
  stream: Schema.String.annotate({ description: "`lifecycle`, `assistant`, `tool` and others." }),
  ts: Schema.Finite.annotate({ description: "When it happened, in milliseconds since 1970." }),
  data: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The event's data, depending on `stream`.",
  }),
}).annotate({ identifier: "RunEvent", description: "An event of a run: `format=agent-events`." })

const BusEvent = Schema.Struct({
  id: Schema.String.annotate({ description: "The event's id; the same in every stream." }),
  type: Schema.String.annotate({ description: "Such as `message.part.updated`, `session.idle`, `server.heartbeat`." }),
  properties: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "As in opencode, depending on `type`.",
  }),
}).annotate({ identifier: "BusEvent", description: "An event of opencode's bus: `format=parts`." })

const ClientEvent = Schema.Struct({
  event_id: Schema.optionalKey(Schema.String.annotate({ description: "Of a message in the log: its uuid." })),
  sequence_num: Schema.optionalKey(Schema.Int.annotate({ description: "Of a message in the log: its seq." })),
  source: Schema.Literal("worker").annotate({ description: "Always `worker`." }),
  created_at: Schema.optionalKey(
    Schema.String.annotate({ description: "Of a message in the log: when it was logged." }),
  ),
  payload: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "An SDK message, or a frame of the control protocol.",
  }),
}).annotate({ identifier: "ClientEvent", description: "What the official browser SDK reads: `format=client`." })

const CatchUpTruncated = Schema.Struct({
  last_seq: Schema.Int.annotate({ description: "The end of the log, from which the stream continues." }),
}).annotate({
  identifier: "CatchUpTruncated",
  description: "The cursor was too old. The event's name is `catch_up_truncated`.",
})

/** The frames of the stateful views, live or in a page. */
export const ViewFrames = [BusEvent, ReplyFrame, RunEvent, AgUiEvent] as const

/** All frames of a live stream that are neither messages nor signals. */
export const StreamFrames = [...ViewFrames, ClientEvent, CatchUpTruncated] as const
