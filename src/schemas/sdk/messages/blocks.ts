// The content of a message of the Messages API, in the log and in requests: a text or a list of blocks.
// Invariant: a text is read as one text block, as the API does.
import { isPlainObject } from "../../plain-object.ts"

/** A content block: its type and its other fields. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string }

export type Content = string | ReadonlyArray<Block>

export const blocksOf = (content: Content): ReadonlyArray<Block> =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

/** The blocks in content that servers and imported conversations may have written: what is no block is left out. */
export const blocksIn = (content: unknown): ReadonlyArray<Block> => {
  if (typeof content === "string") return blocksOf(content)
  return Array.isArray(content) ? content.filter(isBlock) : []
}

const isBlock = (value: unknown): value is Block => isPlainObject(value) && typeof value["type"] === "string"
