// How a run's replies are shaped for a chat channel: the session options `reply` and `messaging_tools`, under OpenClaw's names.
// Invariant: every field is bounded, so that a block is never too short to be useful and never endless.
import * as Schema from "effect/Schema"

const opt = Schema.optionalKey
const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Chars = (minimum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum: 20_000 }))

/** `off`: reasoning is not shown. `on`: each reasoning text is a block. `stream`: it is streamed separately from the reply. */
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

/** The destination of a message. A reply repeats a message that a tool sent only when both have the same destination. */
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
  /** Whether a tool call's tool and subject are shown when the call has ended. */
  shouldEmitToolResult: opt(Schema.Boolean),
  /** Whether the call's output is shown with them. */
  shouldEmitToolOutput: opt(Schema.Boolean),
  /** True: only text between `<final>` tags counts as the reply. */
  enforceFinalTag: opt(Schema.Boolean),
  /** The id of the message that `[[reply_to_current]]` refers to. */
  currentMessageId: opt(Name),
  route: opt(ReplyRoute),
})
export type ReplySettings = typeof ReplySettings.Type

/** The name of a field of the tool's input, or a constant value. */
const Source = Schema.Union([Name, Schema.Struct({ value: Name })])

/** A tool that sends messages itself. */
export const MessagingTool = Schema.Struct({
  /** The name under which the model calls the tool: `mcp__slack__post` for the tool `post` of the server `slack`. */
  name: Name,
  /** The field with the message's text. */
  text: Name,
  to: opt(Source),
  provider: opt(Source),
  accountId: opt(Source),
  threadId: opt(Source),
  /** The field with the URL, or the list of URLs, of its media. */
  media: opt(Name),
  /** The call counts as sending only when each of these fields has the value, or one of the values. */
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
