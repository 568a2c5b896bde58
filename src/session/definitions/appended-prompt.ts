// Receives the system prompt that holds and a text; returns the system prompt that ends with the text.
import type { SessionOptions } from "../../schemas/sdk/options/options.ts"

/** `own` with `text` at its end; where there is none of its own, Perch's prompt (the preset) with it. */
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
