// Receives the messages of a request that is made in plan mode; returns them with the rules of that mode.
// Invariant: the rules are inserted before the user's last text, and only in the request.
import type { ImmutableMessage } from "../conversation-cache/immutable-message.ts"
import { heldOf } from "../conversation-cache/held-message.ts"
import { type Block, blocksOf } from "./message-blocks.ts"
import { memoizeMessage } from "../conversation-cache/memoize-message.ts"

export interface PlanMode {
  /** How to plan; replaces Perch's own rules. */
  readonly instructions?: string
  /** True when the model can hand its plan to the user with ExitPlanMode. */
  readonly canExit: boolean
  /** The plan file, the only one that may be written while planning. */
  readonly file: string
}

const RULES = `Plan mode is on. Until the user accepts a plan, change nothing: no edits, no new files, no commands with effects, whatever was said before. Reading and searching are fine.`

const HOW_TO_PLAN = `Examine everything that the request affects. Ask the user if something important is undecided. Then write a plan that others can follow: what changes, where, in which order, and how to verify it.`

/** Inserts a `<system-reminder>` before the last text that the user wrote; reminders do not count as such. */
export const withPlanReminder = (
  messages: ReadonlyArray<ImmutableMessage>,
  mode: PlanMode,
): ReadonlyArray<ImmutableMessage> => {
  const at = messages.findLastIndex(hasOwnText)
  const message = messages[at]
  if (message === undefined) return messages
  return messages.with(at, reminded(message, reminder(mode)))
}

const hasOwnText = (message: ImmutableMessage): boolean =>
  heldOf(message)?.hasOwnText ?? (message.role === "user" && blocksOf(message).some(isOwnText))

const reminded = memoizeMessage((message, text) => {
  const blocks = blocksOf(message)
  const content = blocks.toSpliced(blocks.findIndex(isOwnText), 0, { type: "text", text })
  return { ...message, content }
})

export const isOwnText = (block: Block): boolean =>
  block["type"] === "text" && typeof block["text"] === "string" && !block["text"].startsWith("<system-reminder>")

const reminder = ({ instructions, canExit, file }: PlanMode): string => {
  const end = canExit
    ? `Write the plan with Write to ${file}, and change it there with Edit: it is the only file that you may write now. When the plan is complete, call ExitPlanMode, which shows that file to the user: it is the only way to ask them to accept it.`
    : "When the plan is complete, return it as your answer and stop."
  const parts = [RULES, instructions?.trim() ? instructions : HOW_TO_PLAN, end]
  return `<system-reminder>\n${parts.join("\n\n")}\n</system-reminder>`
}
