// Receives the model's thinking; returns the text that a channel shows for it.

/** Returns `Reasoning:` and each line in italics: in some channels, italics cannot span several lines. */
export const formatReasoning = (text: string): string => {
  const trimmed = text.trim()
  if (trimmed === "") return ""
  const lines = trimmed.split("\n").map((line) => (line === "" ? line : `_${line}_`))
  return `Reasoning:\n${lines.join("\n")}`
}
