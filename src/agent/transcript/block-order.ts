// Receives the blocks of a message as they came; returns them in the order in which the API takes them.
// Invariant: no block is added, left out or changed.
import type { Block } from "./transcript.ts"

/** The API requires the results of calls before anything else in their message. */
export const resultsFirst = (content: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const others = content.findIndex((block) => block.type !== "tool_result")
  if (others < 0 || !content.slice(others).some((block) => block.type === "tool_result")) return content
  return [
    ...content.filter((block) => block.type === "tool_result"),
    ...content.filter((block) => block.type !== "tool_result"),
  ]
}

/** As the official SDK: a text that follows calls is sent before them. Thinking stays where it was, and what is before it. */
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
