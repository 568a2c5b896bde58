// Receives a conversation; returns whether nothing of its newest message moves: no text that comes, no call that runs.
import type { Conversation } from "../../store/conversation.ts"
import type { Part } from "../../store/frames.ts"

/** Texts and calls show by themselves that they go on. */
const isMoving = ({ type, time, state }: Part): boolean => {
  if (type === "tool") return state?.status === "pending" || state?.status === "running"
  return (type === "text" || type === "reasoning") && time?.start !== undefined && time.end === undefined
}

/** Subagents' messages are inside a call that runs; prompts that wait belong to a turn that has not begun. */
export const isQuiet = (conversation: Conversation): boolean => {
  const newest = conversation.ids.value.findLast((id) => {
    const { parentToolUseId, queued } = conversation.message(id)?.info.value.sdk ?? {}
    return parentToolUseId === undefined && queued !== true
  })
  const message = newest === undefined ? undefined : conversation.message(newest)
  if (message === undefined) return true
  if (message.info.value.role === "user") return true
  return !message.parts.value.some((id) => {
    const part = conversation.part(id)?.value
    return part !== undefined && isMoving(part)
  })
}
