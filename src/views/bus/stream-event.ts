// Receives a `stream_event` as the Messages API sent it; returns the fields that the parts view reads.
// Invariant: an event that does not have the documented shape is ignored.
import { isPlainObject } from "../../schemas/plain-object.ts"
import type { Block } from "../../schemas/sdk/messages/blocks.ts"

export type RawBlockEvent =
  | { readonly type: "message_start"; readonly message: { readonly id: string; readonly model: string } }
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: Block }
  | {
      readonly type: "content_block_delta"
      readonly index: number
      readonly delta: Readonly<Record<string, unknown>>
    }
  | { readonly type: "content_block_stop"; readonly index: number }

export const blockEventOf = (event: unknown): RawBlockEvent | null => {
  if (!isPlainObject(event)) return null
  const { type, index, message, content_block: block, delta } = event
  if (type === "message_start")
    return isPlainObject(message) && typeof message["id"] === "string"
      ? { type, message: { id: message["id"], model: String(message["model"] ?? "") } }
      : null
  if (typeof index !== "number") return null
  if (type === "content_block_stop") return { type, index }
  if (type === "content_block_delta") return isPlainObject(delta) ? { type, index, delta } : null
  if (type !== "content_block_start" || !isPlainObject(block) || typeof block["type"] !== "string") return null
  return { type, index, content_block: { ...block, type: block["type"] } }
}
