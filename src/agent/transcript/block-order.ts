// Receives the blocks of a message in the order of arrival; returns them in the order that the API requires.
// Invariant: no block is added, left out or changed.
import { isThinking } from "../../model/request/message-blocks.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"

/** The API requires the results of calls before anything else in their message. */
export const resultsFirst = (content: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const others = content.findIndex((block) => block.type !== "tool_result")
  if (others < 0 || !content.slice(others).some((block) => block.type === "tool_result")) return content
  return [
    ...content.filter((block) => block.type === "tool_result"),
    ...content.filter((block) => block.type !== "tool_result"),
  ]
}

/**
 * As the official SDK: a block after calls is sent before them, unless it is thinking and other thinking precedes these calls,
 * or there is thinking between calls already.
 */
export const callsLast = (content: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const ordered: Array<Block> = []
  for (const block of content) {
    const calls = isCall(block) ? ordered.length : ordered.findLastIndex((other) => !isCall(other)) + 1
    const before = ordered[calls - 1]
    const keeps = isThinking(block)
      ? before !== undefined && isThinking(before)
      : ordered.findIndex(isCall) < calls && ordered.some(isCall)
    ordered.splice(keeps ? ordered.length : calls, 0, block)
  }
  return ordered
}

const isCall = ({ type }: Block): boolean => type === "tool_use"
