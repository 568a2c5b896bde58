// Counts the lines that Write and Edit change, as the official SDK counts them: for a session those in their results, for a
// subagent those in its calls.

import { isPlainObject } from "../../schemas/plain-object.ts"

export interface ChangedLines {
  linesAdded: number
  linesRemoved: number
}

/** Adds the lines that a call is to write, and those that it is to replace; as the other counts of calls, also if it is denied. */
export const addCalledLines = (count: ChangedLines, name: string, input: unknown): void => {
  if (!isPlainObject(input)) return
  if (name === "Write") count.linesAdded += linesIn(input["content"])
  if (name !== "Edit") return
  count.linesAdded += linesIn(input["new_string"])
  count.linesRemoved += linesIn(input["old_string"])
}

const linesIn = (text: unknown): number => (typeof text !== "string" || text === "" ? 0 : text.split("\n").length)

/** Adds the lines of a tool's output to the count; outputs without hunks add none. */
export const addLines = (count: ChangedLines, output: unknown): void => {
  if (typeof output !== "object" || output === null || !("structuredPatch" in output)) return
  // Only Write's and Edit's results have hunks.
  const { type, content, structuredPatch } = output as {
    readonly type?: string
    readonly content?: string
    readonly structuredPatch: ReadonlyArray<{ readonly lines: ReadonlyArray<string> }>
  }
  if (type === "create" && content !== undefined && content !== "")
    count.linesAdded += content.split("\n").length - (content.endsWith("\n") ? 1 : 0)
  for (const { lines } of structuredPatch) {
    for (const line of lines) {
      if (line.startsWith("+")) count.linesAdded += 1
      if (line.startsWith("-")) count.linesRemoved += 1
    }
  }
}
