// What the settings of replies mean, as options and as parameters.
import { type Glossary, joined } from "./glossary.ts"

/** Fields of the option `reply`, and parameters of its formats. */
export const REPLY_WORDS: Glossary = {
  reasoningLevel: [
    "How reasoning is shown: `off`, `on` (each as a block), `stream` (in parallel to the reply).",
    "stream",
  ],
  blockReplyBreak: ["When blocks are sent: while a text streams, or when its message ends.", "text_end"],
  minChars: ["The minimum number of characters in a block of a reply; the last block may have fewer.", 800],
  maxChars: ["The maximum number of characters in a block of a reply.", 1200],
  breakPreference: ["Where a block of a reply preferably ends.", "paragraph"],
  flushOnParagraph: ["Whether each paragraph is sent as a block, even a short one.", false],
  shouldEmitToolResult: ["Whether each call is sent when it has ended.", true],
  shouldEmitToolOutput: ["Whether the output of each call is sent with it.", false],
  enforceFinalTag: ["Whether only text between `<final>` tags belongs to the reply.", false],
  currentMessageId: ["The message that `[[reply_to_current]]` refers to.", "1718900000.000100"],
}

const SETTINGS: Glossary = {
  blockReplyChunking: ["The minimum and maximum size of a block; without it each text is one block."],
  "ReplySettings.route": [
    "Where the reply is sent. With it, text that a messaging tool has sent is omitted only if the tool sent it there.",
  ],
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

export const CHANNEL_WORDS = joined(REPLY_WORDS, SETTINGS)
