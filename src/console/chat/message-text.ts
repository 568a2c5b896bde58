// Receives a message and its parts; returns it as text and as JSON, as they are copied.
import type { MessageInfo, Part } from "../store/frames.ts"

/** What was written: prompts and answers, without thinking, calls and what the loop added. */
export const messageText = (parts: ReadonlyArray<Part>): string =>
  parts
    .flatMap((part) => (part.type === "text" && part.synthetic !== true && part.text ? [part.text] : []))
    .join("\n\n")

export const messageJson = (info: MessageInfo, parts: ReadonlyArray<Part>): string =>
  JSON.stringify({ info, parts }, null, 2)
