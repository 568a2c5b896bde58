// Receives the content of an answer to the request for a title; returns the title in it.
// Invariant: content of any shape is accepted; without a text in it, there is no title.
import { textField } from "../../schemas/json/text-field.ts"

const MAX_TITLE = 100

/** The first line of the answer's text, or the `title` of an answer in JSON; at most 100 characters, null when it is empty. */
export const titleIn = (content: unknown): string | null => {
  const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
  const text = blocks
    .map((block) => textField(block, "text"))
    .join("")
    .trim()
  const line = (titleInJson(text) ?? text).trim().split("\n", 1)[0] ?? ""
  const title = line.replace(/^["'“]+|["'”.]+$/g, "").trim()
  return title === "" ? null : title.slice(0, MAX_TITLE)
}

const titleInJson = (text: string): string | undefined => {
  if (!text.startsWith("{")) return undefined
  try {
    const title: unknown = Reflect.get(JSON.parse(text) as object, "title") // JSON that begins with a brace
    return typeof title === "string" ? title : undefined
  } catch {
    // Not JSON: the text itself is the title.
    return undefined
  }
}
