// The input and the structured result of the tool SendMessage. The SDK publishes no schemas of them; these follow its CLI.
import * as Schema from "effect/Schema"
import { described, Id, Line, optional, text } from "./tool-fields.ts"

export const SendMessageInput = Schema.Struct({
  to: described(Id, "The name or id of an agent that you started."),
  summary: optional(Line, "What the message is about, in a few words."),
  message: described(text(100_000).check(Schema.isMinLength(1)), "The message."),
})
export type SendMessageInput = typeof SendMessageInput.Type

/**
 * `resumedAgentId`, and `revivedAgentId` with the same value: the agent had ended and is resumed. `pin`: the agent that the
 * message is for. `display`: why the message reached no agent, as a text for people.
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
