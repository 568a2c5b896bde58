// Texts that are sent to the model in the user's messages, but that no user wrote.
import type { HookOutcome } from "../../hooks/outcome.ts"
import type { HookFired, TurnQueued } from "../../schemas/log/event-payloads.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"
import { isPromptEvent, NO_REASON } from "./stopped-prompt.ts"

export const reminder = (text: string): Block => ({
  type: "text",
  text: `<system-reminder>\n${text}\n</system-reminder>`,
})

/** True for a text that is no reminder: a user's message contains it as they wrote it. */
export const isOwnText = ({ type, text }: Block): boolean =>
  type === "text" && typeof text === "string" && !text.startsWith("<system-reminder>")

const NOTICE = "This is an automatic message about a background task."
const NEW_MESSAGE = "The user sent a new message while you were working:"

/** True for a block of a prompt, also of one that Perch made or that arrived while calls ran; false for other reminders. */
export const isOfPrompt = (block: Block): boolean =>
  block.type !== "tool_result" &&
  (block.type !== "text" ||
    isOwnText(block) ||
    [NOTICE, NEW_MESSAGE].some((start) => String(block["text"]).includes(`>\n${start}`)))

/** True for a context that a PreToolUse hook gave before its call ran. */
export const isBeforeCall = ({ text }: Block): boolean => String(text).startsWith("<system-reminder>\nPreToolUse:")

/** The block of a prompt that Perch itself made. */
export const notice = (text: TurnQueued["prompt"]): Block =>
  reminder(`${NOTICE} It does not come from the user and contains no answer or approval of theirs.\n\n${String(text)}`)

/** The blocks of a prompt that arrived while the turn's calls ran. */
export const newMessage = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const prose = blocks.map((block) => (block.type === "text" ? String(block["text"]) : `[${block.type}]`)).join("\n")
  return [
    reminder(`${NEW_MESSAGE}\n${prose}\nTake it into account as you continue.`),
    ...blocks.filter((block) => block.type !== "text"),
  ]
}

/** The text of the assistant message that is inserted after an interrupted turn. */
export const NOTHING_ASKED = "No answer was requested."

/** Events whose block becomes a reminder after the tool result; blocks of other events reach the model in another way. */
const BLOCKING: ReadonlySet<string> = new Set(["PostToolUse", "PostToolUseFailure", "PostToolBatch"])

/** Events after which `continue: false` ends the turn. */
const STOPPING: ReadonlySet<string> = new Set(["PostToolUse", "PostToolBatch", "Stop"])

/**
 * The reminders for the model from an event's hooks: their contexts, and the reason of a block or of the turn's end. As the
 * official SDK: the reason for a stopped prompt follows the prompt itself.
 */
export const hookReminders = (
  { hook_event_name: event, input }: HookFired,
  { contexts, block, stop }: HookOutcome,
): ReadonlyArray<Block> => {
  const of = typeof input["tool_name"] === "string" ? `${event}:${input["tool_name"]}` : event
  if (stop !== null && isPromptEvent(event)) return []
  const texts = contexts.map((text) => `${of} hook additional context: ${text}`)
  if (stop !== null && STOPPING.has(event)) texts.push(`${of} hook stopped continuation: ${stop.reason ?? NO_REASON}`)
  else if (block !== null && BLOCKING.has(event)) texts.push(`${of} hook blocking error: ${block.reason}`)
  return texts.map(reminder)
}
