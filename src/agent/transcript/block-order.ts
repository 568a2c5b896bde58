// Receives the blocks of a message in the order of arrival; returns them in the order that the API requires.
// Invariant: no block is added, left out or changed.
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

/** As the official SDK: a text after calls is sent before them. Thinking keeps its place, and so do the blocks before it. */
export const callsAfterText = (content: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const ordered: Array<Block> = []
  let calls: Array<Block> = []
  for (const block of content) {
    if (block.type === "tool_use") calls.push(block)
    else if (block.type === "text") ordered.push(block)
    else {
      ordered.push(...calls, block)
      calls = []
    }
  }
  return [...ordered, ...calls]
}
