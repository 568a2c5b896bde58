// What the settings of replies mean, as options and as parameters.
import type { Glossary } from "./glossary.ts"

/** Fields of the option `reply`, and parameters of its formats. */
export const REPLY_WORDS: Glossary = {
  reasoningLevel: ["How reasoning is shown: `off`, `on` (a block each), `stream` (beside the reply).", "stream"],
  blockReplyBreak: ["When blocks are sent: while a text streams, or when its message ends.", "text_end"],
  minChars: ["A block of a reply has at least so many characters, unless it is the last one.", 800],
  maxChars: ["A block of a reply has at most so many characters.", 1200],
  breakPreference: ["Where a block of a reply ends rather than elsewhere.", "paragraph"],
  flushOnParagraph: ["Whether each paragraph is a block, however short.", false],
  shouldEmitToolResult: ["Whether each call is sent when it has ended.", true],
  shouldEmitToolOutput: ["Whether the output of each call is sent with it.", false],
  enforceFinalTag: ["Whether text counts between `<final>` tags alone.", false],
  currentMessageId: ["The message that `[[reply_to_current]]` names.", "1718900000.000100"],
}

export const CHANNEL_WORDS: Glossary = {
  ...REPLY_WORDS,
  blockReplyChunking: ["The bounds of a block; without it each text is one."],
  route: ["Where the reply goes. Then it repeats a tool's message only if both go there."],
  "ReplyRoute.provider": ["The channel's kind.", "slack"],
  "ReplyRoute.accountId": ["The account that sends.", "T0001"],
  "ReplyRoute.to": ["The chat or the person.", "C0001"],
  "ReplyRoute.threadId": ["The thread.", "1718900000.000100"],
  "MessagingTool.name": ["The tool, as the model calls it.", "mcp__slack__post"],
  "MessagingTool.text": ["The field of its input with the message.", "message"],
  "MessagingTool.provider": ["The field with the channel's kind, or a fixed one.", { value: "slack" }],
  "MessagingTool.accountId": ["The field with the account that sends, or a fixed one.", "account"],
  "MessagingTool.to": ["The field with the chat or the person, or a fixed one.", "channel"],
  "MessagingTool.threadId": ["The field with the thread, or a fixed one.", "thread_ts"],
  "MessagingTool.media": ["The field with the URL, or the list of URLs, of its media.", "files"],
  "MessagingTool.when": [
    "A call sends only if each of these fields has the value, or one of the values.",
    { action: "send" },
  ],
}
