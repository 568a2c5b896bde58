// Texts of prompts. Receives prompts; returns the text of one for hooks, and several joined to one.
// Invariant: prompts are joined as in the official SDK, so that the same prompts make the same request.
import { blocksOf, type Content } from "../../schemas/sdk/messages/blocks.ts"
import type { CommandAnswered } from "../../schemas/log/command-events.ts"
import type { ConversationReminded } from "../../schemas/log/conversation-events.ts"
import type { MentionedFile, PromptMention } from "../../schemas/log/project-events.ts"
import type { LogEvent } from "../../schemas/log/events.ts"
import type { Turn } from "../ports.ts"
import { reminder } from "../transcript/reminders.ts"

/** The user message that marks a turn which the user stopped. */
export const INTERRUPTED = "[Request interrupted by user]"
export const INTERRUPTED_TOOL = "[Request interrupted by user for tool use]"
/** The result of a call that never ran, for the model. */
export const UNRUN = "The turn ended before this call was run."
/** Asks the model once more after an answer without a visible block. */
export const BLANK_TEXT = "Your last answer contained nothing that the user can see. Say what you did, or continue."
/** The texts with which the last message ends after a turn that was cut off. */
export const CUT_OFF: ReadonlySet<unknown> = new Set([INTERRUPTED, INTERRUPTED_TOOL, UNRUN])

/** The prompt's text for hooks: its text blocks, joined by newlines. */
export const promptText = (prompt: Content): string =>
  typeof prompt === "string"
    ? prompt
    : prompt.flatMap((block) => (typeof block["text"] === "string" ? [block["text"]] : [])).join("\n")

/** The input of a UserPromptSubmit hook. */
export const submitInput = (turn: Pick<Turn, "sessionTitle">, prompt: Content) => {
  const title = turn.sessionTitle()
  return { prompt: promptText(prompt), ...(title === null ? {} : { session_title: title }) }
}

/** Two prompts joined, with a newline between them: two texts to one text, otherwise to one list of blocks. */
export const joinedPrompt = (first: Content, second: Content): Content => {
  if (typeof first === "string" && typeof second === "string") return `${first}\n${second}`
  const before = blocksOf(first)
  const last = before.at(-1)
  const ended = typeof last?.["text"] === "string" ? before.with(-1, { ...last, text: `${last["text"]}\n` }) : before
  return [...ended, ...blocksOf(second)]
}

/** As the official SDK: a command's answer by an agent becomes context for later requests. */
export const answeredCommand = ({ call, answer, stopped }: CommandAnswered) => [
  {
    type: "text",
    text: `<local-command-caveat>The user ran the command below, and its output was shown to the user. It is here as context: you are asked nothing.</local-command-caveat>\n${call}`,
  },
  { type: "text", text: stopped === true ? INTERRUPTED : `<local-command-stdout>${answer}</local-command-stdout>` },
]

/** The blocks for the model about what a prompt mentions, or with what it is sent again after a compaction. */
export const shownBlocks = (event: LogEvent<"files:mentioned" | "prompt:mentioned" | "conversation:reminded">) => {
  if (event.name === "prompt:mentioned") return agentReminders(event.payload.mentions)
  return event.name === "files:mentioned" ? event.payload.files.flatMap(fileBlocks) : remindedBlocks(event.payload)
}

/** The blocks for the model with what it is sent again after a compaction. */
export const remindedBlocks = ({ files, texts }: ConversationReminded) => [
  ...files.flatMap(fileBlocks),
  ...texts.map(reminder),
]

const agentReminders = (mentions: ReadonlyArray<PromptMention>) =>
  mentions.flatMap((mention) =>
    mention.kind === "agent"
      ? [
          reminder(
            `The user mentions the agent ${JSON.stringify(mention.name)} in the next message and wants it to be called: call the Agent tool with that subagent_type, and pass on what the agent needs to know about the conversation.`,
          ),
        ]
      : [],
  )

/** As the official SDK: a file that a prompt mentions is shown as a tool call and its result. */
const fileBlocks = ({ tool, input, content }: MentionedFile) => {
  const called = reminder(`Called the ${tool} tool with the following input: ${JSON.stringify(input)}`)
  if (typeof content === "string") return [called, reminder(`Result of calling the ${tool} tool:\n${content}`)]
  return [called, ...content]
}

/** As the official SDK: a prompt of only white space is not sent to the model. An empty prompt is. */
export const isWhiteSpace = (prompt: unknown): boolean =>
  typeof prompt === "string" && prompt !== "" && prompt.trim() === ""
