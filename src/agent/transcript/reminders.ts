// Texts that the model reads in the user's messages, and that no user wrote.
import type { TurnQueued } from "../../schemas/log/event-payloads.ts"
import type { Block } from "./sent-messages.ts"

export const reminder = (text: string): Block => ({
  type: "text",
  text: `<system-reminder>\n${text}\n</system-reminder>`,
})

/** A prompt of Perch's own, which no person typed. */
export const notice = (text: TurnQueued["prompt"]): Block =>
  reminder(
    `This is an automatic message about a background task. The user said nothing, answered nothing and agreed to nothing.\n\n${String(text)}`,
  )

/** A prompt that was sent while the turn's calls ran. */
export const newMessage = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const prose = blocks.map((block) => (block.type === "text" ? String(block["text"]) : `[${block.type}]`)).join("\n")
  return [
    reminder(`The user sent a new message while you were working:\n${prose}\nTake it into account as you go on.`),
    ...blocks.filter((block) => block.type !== "text"),
  ]
}

/** What users and the model read of a prompt that a hook stopped. */
export const stoppedText = (reason = "no reason was given"): string =>
  `A UserPromptSubmit hook stopped the turn: ${reason}`

/** The model's answer in the conversation where it was asked nothing. */
export const NOTHING_ASKED = "No answer was asked for."

/** Events whose block is a reminder that follows the tool result; the blocks of others reach the model in another way. */
export const BLOCKING_REMINDERS: ReadonlySet<string> = new Set(["PostToolUse", "PostToolUseFailure", "PostToolBatch"])
