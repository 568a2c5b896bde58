// Counts the lines that Write and Edit report in their results, as the official SDK counts them.

export interface ChangedLines {
  linesAdded: number
  linesRemoved: number
}

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
