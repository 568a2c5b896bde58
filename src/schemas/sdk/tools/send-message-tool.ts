// What the model sends to the tool SendMessage, and its structured result; the SDK publishes no schema of them, and these
// are as its CLI shows them.
import * as Schema from "effect/Schema"
import { described, Id, Line, optional, text } from "./tool-fields.ts"

export const SendMessageInput = Schema.Struct({
  to: described(Id, "The name or id of an agent that you began."),
  summary: optional(Line, "What the message is about, in a few words."),
  message: described(text(100_000).check(Schema.isMinLength(1)), "The message."),
})
export type SendMessageInput = typeof SendMessageInput.Type

/**
 * `resumedAgentId`, and `revivedAgentId` with the same value: the agent had ended and goes on. `pin`: which agent the
 * message is for. `display`: why it reached none, for people.
 */
export const SendMessageOutput = Schema.Struct({
  success: Schema.Boolean,
  message: Schema.String,
  display: Schema.optionalKey(Schema.String),
  resumedAgentId: Schema.optionalKey(Schema.String),
  revivedAgentId: Schema.optionalKey(Schema.String),
  pin: Schema.optionalKey(Schema.Struct({ id: Schema.String, name: Schema.optionalKey(Schema.String) })),
})
export type SendMessageOutput = typeof SendMessageOutput.Type
