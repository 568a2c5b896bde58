// How a run's replies are shaped for a chat channel: the session options `reply` and `messaging_tools`, under OpenClaw's names.
// Invariant: every field is bounded, so that a block is never empty of meaning and never without end.
import * as Schema from "effect/Schema"

const opt = Schema.optionalKey
const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Chars = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: 20_000 }))

/** `off`: reasoning is not shown. `on`: each piece of it is a block. `stream`: it streams beside the reply. */
export const ReasoningLevel = Schema.Literals(["off", "on", "stream"])
/** `text_end`: blocks are sent while a text streams, the last one at its end. `message_end`: at the end of the message. */
export const BlockReplyBreak = Schema.Literals(["text_end", "message_end"])
export const BreakPreference = Schema.Literals(["paragraph", "newline", "sentence"])
export const MinChars = Chars(1)
export const MaxChars = Chars(50)

export const BlockReplyChunking = Schema.Struct({
  minChars: MinChars,
  maxChars: MaxChars,
  breakPreference: opt(BreakPreference),
  flushOnParagraph: opt(Schema.Boolean),
}).check(
  Schema.makeFilter(
    ({ minChars, maxChars }: { readonly minChars: number; readonly maxChars: number }) =>
      minChars <= maxChars || "Expected minChars to be at most maxChars",
  ),
)
export type BlockReplyChunking = typeof BlockReplyChunking.Type

/** Where a message goes: a reply is the same as a message that a tool sent only when both go to the same place. */
export const ReplyRoute = Schema.Struct({
  provider: opt(Name),
  accountId: opt(Name),
  to: opt(Name),
  threadId: opt(Name),
})
export type ReplyRoute = typeof ReplyRoute.Type

export const ReplySettings = Schema.Struct({
  reasoningLevel: opt(ReasoningLevel),
  blockReplyBreak: opt(BlockReplyBreak),
  blockReplyChunking: opt(BlockReplyChunking),
  /** Whether a call's tool and subject are shown when it has ended. */
  shouldEmitToolResult: opt(Schema.Boolean),
  /** Whether the call's output is shown with them. */
  shouldEmitToolOutput: opt(Schema.Boolean),
  /** Text counts between `<final>` tags alone. */
  enforceFinalTag: opt(Schema.Boolean),
  /** The message that `[[reply_to_current]]` names. */
  currentMessageId: opt(Name),
  route: opt(ReplyRoute),
})
export type ReplySettings = typeof ReplySettings.Type

/** The name of a field of the tool's input, or a value that is always the same. */
const Source = Schema.Union([Name, Schema.Struct({ value: Name })])

/** A tool that sends messages itself. */
export const MessagingTool = Schema.Struct({
  /** As the model calls it: `mcp__slack__post` for the tool `post` of the server `slack`. */
  name: Name,
  /** The field with the message's text. */
  text: Name,
  to: opt(Source),
  provider: opt(Source),
  accountId: opt(Source),
  threadId: opt(Source),
  /** The field with the URL, or the list of URLs, of its media. */
  media: opt(Name),
  /** The call sends only when each field has the value, or one of the values. */
  when: opt(
    Schema.Record(
      Name,
      Schema.Union([Name, Schema.Array(Name).check(Schema.isMinLength(1), Schema.isMaxLength(20))]),
    ).check(Schema.isMaxProperties(10)),
  ),
})
export type MessagingTool = typeof MessagingTool.Type

export const MessagingTools = Schema.Array(MessagingTool).check(Schema.isMaxLength(50))
export type MessagingTools = typeof MessagingTools.Type
