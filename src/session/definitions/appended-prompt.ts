// Receives the system prompt that applies and a text; returns the system prompt with the text appended.
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"

/** `own` with `text` appended; if `own` is absent, Perch's prompt (the preset) with `text` appended. */
export const withAppended = (
  own: SessionOptions["systemPrompt"],
  text: string,
): NonNullable<SessionOptions["systemPrompt"]> => {
  if (own === undefined || own === "") return { type: "preset", preset: "claude_code", append: text }
  if (typeof own === "string") return [own, text]
  if (!("type" in own)) return [...own, text]
  if (own.type === "custom")
    return { ...own, prompt: typeof own.prompt === "string" ? [own.prompt, text] : [...own.prompt, text] }
  return { ...own, append: own.append === undefined ? text : `${own.append}\n\n${text}` }
}
