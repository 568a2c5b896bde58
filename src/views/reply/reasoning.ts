// Receives what the model thinks; returns it as a channel shows it.

/** `Reasoning:`, and each line in italics: Markdown's underscores span no line of some channels. */
export const formatReasoning = (text: string): string => {
  const trimmed = text.trim()
  if (trimmed === "") return ""
  const lines = trimmed.split("\n").map((line) => (line === "" ? line : `_${line}_`))
  return `Reasoning:\n${lines.join("\n")}`
}
