// Receives a conversation; returns whether its newest message shows no progress: no streaming text and no running call.
import type { Conversation } from "../../store/conversation.ts"
import type { Part } from "../../store/frames.ts"

/** True for streaming texts and running calls, which show progress themselves. */
const isMoving = ({ type, time, state }: Part): boolean => {
  if (type === "tool") return state?.status === "pending" || state?.status === "running"
  return (type === "text" || type === "reasoning") && time?.start !== undefined && time.end === undefined
}

/** Ignores subagents' messages, which are inside a running call, and queued prompts, whose turns have not begun. */
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
