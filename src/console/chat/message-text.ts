// Receives a message and its parts; returns the text and the JSON for copying.
import type { MessageInfo, Part } from "../store/frames.ts"

/** The text of prompts and answers, without thinking, calls and content that the loop added. */
export const messageText = (parts: ReadonlyArray<Part>): string =>
  parts
    .flatMap((part) => (part.type === "text" && part.synthetic !== true && part.text ? [part.text] : []))
    .join("\n\n")

export const messageJson = (info: MessageInfo, parts: ReadonlyArray<Part>): string =>
  JSON.stringify({ info, parts }, null, 2)
