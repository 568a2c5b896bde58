// Rows of the route table: the log, read in pages, live and as messages.
import * as Schema from "effect/Schema"
import * as Api from "../../schemas/api/api.ts"
import { Message } from "../../schemas/parts.ts"
import { SDKMessage } from "../../schemas/sdk/messages/message-unions.ts"
import { PROMPT_BODY } from "../../schemas/api/prompt-size.ts"
import { EventNamePattern } from "../../schemas/log/event-signal.ts"
import { Signal } from "../../schemas/signal.ts"
import { route } from "../route.ts"
import { LIVE_FIELDS, LIVE_FORMATS } from "./live-formats.ts"
import { ViewFrames } from "./view-frames.ts"
import { answer, At, Client, Cursor, Limit, list, Order, Seq, SessionId, SSE, Ticket } from "./parts.ts"

const PLACE = {
  has_more: Schema.Boolean,
  next_after: Schema.NullOr(Schema.Int).annotate({
    description: "The `after` of the next page. Null when a descending page has reached the start of the log.",
  }),
  last_seq: Schema.Int,
}

const ViewFrame = Schema.Struct({
  id: Schema.NullOr(Schema.Int).annotate({ description: "The seq of the last event that the frame covers." }),
  event: Schema.optionalKey(Schema.String.annotate({ description: "The name of the SSE event, if it has one." })),
  data: Schema.Union(ViewFrames).annotate({ description: "The frame's data, in that format." }),
}).annotate({ identifier: "ViewFrame", description: "A frame of the stream in that format." })

export const pageEvents = route({
  id: "pageEvents",
  method: "get",
  path: "/v1/sessions/{id}/events",
  summary: "Read the log by pages",
  description:
    "All events of the session, in order of `seq`. Read the next page with `after`: the `next_after` of the page, or the last `seq` that you have. " +
    "`format=signal` returns each event as a signal: `sdk:result/success` has the name `sdk:result:success`, `source.parent` is the prompt of its turn, and `source.agent` is the Agent call of its subagent. " +
    "A page with a pattern scans 20,000 events at most, so it may be incomplete: continue while `has_more` is true. " +
    "`format=parts`, `reply` and `agent-events` return what the stream of that format sends for the page's events; `name` and `order` can't be combined with them.",
  tag: "events",
  auth: "sessions:read",
  params: SessionId,
  query: Schema.Struct({
    after: Schema.optionalKey(Seq),
    limit: Limit(1000),
    order: Order,
    name: Schema.optionalKey(EventNamePattern),
    format: Schema.optionalKey(Schema.Literals(["events", "signal", ...LIVE_FORMATS])),
    ...LIVE_FIELDS,
  }),
  answers: {
    200: answer(
      "Events, signals, or frames of a view.",
      Schema.Union([
        list("events", Api.Event, PLACE).annotate({
          identifier: "EventPage",
          description: "A page of the log.",
        }),
        Schema.Struct({
          signals: Schema.Array(Signal).annotate({ description: "The events of the page, as signals." }),
          ...PLACE,
        }).annotate({ identifier: "SignalPage", description: "A page of the log, with `format=signal`." }),
        Schema.Struct({
          frames: Schema.Array(ViewFrame).annotate({
            description: "The frames for the events of the page in that format.",
          }),
          ...PLACE,
        }).annotate({ identifier: "FramePage", description: "A page of the log, in the format of a view." }),
      ]),
    ),
  },
})

export const streamEvents = route({
  id: "streamEvents",
  method: "get",
  path: "/v1/sessions/{id}/events/stream",
  summary: "Follow the log live (server-sent events)",
  description:
    "Stays open while the session is idle. `event: catch_up_truncated` is sent when the cursor is too old. `format=client` is the " +
    "read side of the official browser SDK; `client` then identifies that client, as in its `POST …/events`. " +
    "`format=signal` sends every event of the log as a signal, including Perch's own events and asks; `name` is then a pattern for their names. " +
    "`format=parts` sends opencode's events, each `{type, properties}`; `format=reply` sends what a chat channel shows of each run, " +
    "`{type, runId, seq, …}`, and `format=agent-events` a run's events, `{runId, seq, stream, ts, data}`.",
  tag: "events",
  auth: "sessions:read",
  ticket: ["observe"],
  params: SessionId,
  query: Schema.Struct({
    after: Schema.optionalKey(Schema.Union([Seq, Schema.Literal("head")])),
    partials: Schema.optionalKey(Schema.Boolean),
    format: Schema.optionalKey(Schema.Literals(["sdk", "client", "signal", ...LIVE_FORMATS])),
    ...LIVE_FIELDS,
    name: Schema.optionalKey(EventNamePattern),
    client: Client,
    ticket: Ticket,
  }),
  headers: { "Last-Event-ID": "The last seq that was received; takes precedence over `after`." },
  answers: { 200: SSE },
})

export const sendEvents = route({
  id: "sendEvents",
  method: "post",
  path: "/v1/sessions/{id}/events",
  summary: "Send frames of the control protocol",
  description: "The write side of the official browser SDK; the responses are sent on its stream (`format=client`).",
  tag: "events",
  auth: "sessions:write",
  ticket: ["prompt", "answer", "control"],
  params: SessionId,
  query: Schema.Struct({ client: Client, ticket: Ticket }),
  body: Api.SendEvents,
  bodyLimit: PROMPT_BODY,
  answers: { 200: answer("How many frames were accepted, and why others were refused.", Api.TakenFrames) },
  example: {
    events: [
      { payload: { type: "user", message: { role: "user", content: "List the files" }, parent_tool_use_id: null } },
    ],
  },
})

export const openSocket = route({
  id: "openSocket",
  method: "get",
  path: "/v1/sessions/{id}/socket",
  summary: "Use the control protocol over a WebSocket",
  description:
    "The Claude Agent SDK's stream-json protocol: text messages, one JSON object a line. Without a key or a ticket the " +
    'first line must arrive within 10 seconds: `{"type":"auth","credential":{"type":"oauth","token":"KEY or ticket"}}`. ' +
    "An error closes the socket with 4000 plus its HTTP status, also when a ticket in the URL is invalid (4401), because browsers do not expose the status of a handshake. `framing=numbered` is for clients that resume. About every 256 KiB the server sends the control request `perch_read_receipt`; its answer, also an error, confirms what was read. 1013 closes a socket that has not confirmed when more is unread than the server holds; its reason contains the `after` to connect again with.",
  tag: "events",
  auth: "sessions:read",
  ticket: ["observe"],
  firstLine: true,
  params: SessionId,
  query: Schema.Struct({
    client: Client,
    framing: Schema.optionalKey(Schema.Literals(["plain", "numbered"])),
    after: Schema.optionalKey(Schema.Union([Seq, Schema.Literal("head")])),
    replay: Schema.optionalKey(Schema.Boolean),
    ticket: Ticket,
  }),
  answers: { 101: { description: "The WebSocket." } },
  errors: ["upgrade_required_error", "permission_error"],
})

export const listMessages = route({
  id: "listMessages",
  method: "get",
  path: "/v1/sessions/{id}/messages",
  summary: "Read the conversation as messages and parts, or as SDK messages",
  description:
    "`format=sdk` returns a page's messages as in the Claude Agent SDK: an `assistant` message per block, a `user` " +
    "message per tool result. They are the conversation that the model sees: after `resumeSessionAt` the messages after that one are " +
    "in the events only. `after` is a page's `next_cursor`, in either format, or the id of an `{info, parts}` message. " +
    "`order=desc` returns the newest first, and the page then precedes `after`; SDK messages have one order only.",
  tag: "messages",
  auth: "sessions:read",
  params: SessionId,
  query: Schema.Struct({
    after: Cursor,
    limit: Limit(500),
    format: Schema.optionalKey(Schema.Literals(["parts", "sdk"])),
    order: Order,
    at: At,
  }),
  answers: {
    200: answer(
      "Messages, each `{info, parts}`; with `format=sdk` SDK messages. `limit` counts the former.",
      list("messages", Schema.Union([Message, SDKMessage]), {
        has_more: Schema.Boolean,
        next_cursor: Schema.NullOr(Schema.String),
        last_seq: Schema.Int.annotate({
          description:
            "The seq of the newest event when the page was read. A stream with this `after` continues from there.",
        }),
      }),
    ),
  },
})
