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
 * As the official SDK: if anything but thinking comes after a call, such as a text or the result of a server tool, calls are sent
 * after all other blocks. Otherwise every block keeps its place, so that thinking between calls stays there.
 */
export const callsLast = (content: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const first = content.findIndex(isCall)
  if (first < 0 || content.slice(first).every((block) => isCall(block) || isThinking(block))) return content
  return [...content.filter((block) => !isCall(block)), ...content.filter(isCall)]
}

const isCall = ({ type }: Block): boolean => type === "tool_use"
