// Receives the content of a logged `user` message; returns the tool results in it.
// Invariant: a result that consists only of text becomes one string, because that is what most clients show.
import type { AgUiEvent } from "./ag-ui-event.ts"
import { textOf } from "../../schemas/json/text-field.ts"

type Result = Extract<AgUiEvent, { readonly type: "TOOL_CALL_RESULT" }>
type Json = Readonly<Record<string, unknown>>

export const toolResults = (content: unknown): ReadonlyArray<Result> =>
  !Array.isArray(content)
    ? []
    : content.flatMap((block: Json): ReadonlyArray<Result> => {
        if (block["type"] !== "tool_result") return []
        const toolCallId = String(block["tool_use_id"])
        return [
          {
            type: "TOOL_CALL_RESULT",
            messageId: `${toolCallId}:result`,
            toolCallId,
            role: "tool",
            content: contentOf(block["content"]),
            ...(block["is_error"] === true ? { metadata: { isError: true } } : {}),
          },
        ]
      })

const contentOf = (content: unknown): Result["content"] => {
  if (!Array.isArray(content)) return textOf(content)
  const parts = content.map((block: Json) => partOf(block))
  return parts.every(({ type }) => type === "text") ? parts.map(({ text }) => String(text)).join("\n") : parts
}

const partOf = (block: Json): Json => {
  const source = Object(block["source"]) as Json // for a value that is no object: an object without fields
  const kind = block["type"] === "image" ? "image" : "document"
  if (block["type"] === "text") return { type: "text", text: String(block["text"]) }
  if (source["type"] === "base64") {
    return { type: kind, source: { type: "data", value: source["data"], mimeType: source["media_type"] } }
  }
  if (source["type"] === "url") return { type: kind, source: { type: "url", value: source["url"] } }
  return { type: "text", text: JSON.stringify(block) }
}
