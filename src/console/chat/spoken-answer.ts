// Receives an answer that has ended; returns the announcement for screen readers: how it ended, and the start of its text.
import type { MessageInfo, Part } from "../store/frames.ts"
import { messageEnd } from "./message-facts.ts"

const MAX_SPOKEN = 300

export const spokenAnswer = (info: MessageInfo, parts: ReadonlyArray<Part>): string => {
  const end = messageEnd(info)
  if (end !== null) return end.kind === "failed" ? `The answer failed: ${end.text}` : end.text
  const text = parts
    .filter((part) => part.type === "text" && part.synthetic !== true)
    .map((part) => part.text ?? "")
    .join(" ")
    .trim()
  if (info.role === "user" || text === "") return "The turn has ended."
  return `Answer complete: ${text.length > MAX_SPOKEN ? `${text.slice(0, MAX_SPOKEN).toWellFormed()} …` : text}`
}
