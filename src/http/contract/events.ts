// Rows of the route table: the log, read by pages, live and as messages.
import { Schema } from "effect"
import * as Api from "../../schemas/api.ts"
import { route } from "../route.ts"
import { answer, Cursor, Limit, list, Order, Seq, SessionId, SSE } from "./parts.ts"

export const pageEvents = route({
  id: "pageEvents",
  method: "get",
  path: "/v1/sessions/{id}/events",
  summary: "Read the log by pages",
  tag: "events",
  auth: "key",
  params: SessionId,
  query: Schema.Struct({
    after: Schema.optionalKey(Seq),
    limit: Limit(1000),
    order: Order,
    name: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))),
  }),
  answers: {
    200: answer("Events.", list("events", Api.Event, { has_more: Schema.Boolean, last_seq: Schema.Int })),
  },
})

export const streamEvents = route({
  id: "streamEvents",
  method: "get",
  path: "/v1/sessions/{id}/events/stream",
  summary: "Follow the log live (server-sent events)",
  description: "Stays open on idle sessions. `event: catch_up_truncated` says that the cursor was too old.",
  tag: "events",
  auth: "stream",
  params: SessionId,
  query: Schema.Struct({
    after: Schema.optionalKey(Schema.Union([Seq, Schema.Literal("head")])),
    partials: Schema.optionalKey(Schema.Boolean),
    format: Schema.optionalKey(Schema.Literals(["sdk"])),
    ticket: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(2048))),
  }),
  headers: { "Last-Event-ID": "The last seq that was seen; wins over `after`." },
  answers: { 200: SSE },
})

export const listMessages = route({
  id: "listMessages",
  method: "get",
  path: "/v1/sessions/{id}/messages",
  summary: "Read the conversation as messages and parts",
  tag: "messages",
  auth: "key",
  params: SessionId,
  query: Schema.Struct({ after: Cursor, limit: Limit(500) }),
  answers: {
    200: answer("Messages, each `{info, parts}`.", list("messages", Schema.Unknown, { has_more: Schema.Boolean })),
  },
})
