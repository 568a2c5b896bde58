// Receives the last delivery of a page; returns the cursor of the next one, and its place when a client sends the cursor back.
// Invariant: a cursor contains its webhook, and that of another webhook is refused.
import type { WebhookDelivery } from "../schemas/api/webhooks.ts"

export const encodeCursor = (webhook: string, last: Pick<WebhookDelivery, "id" | "created_at">): string =>
  `${webhook}:${Date.parse(last.created_at)}.${last.id}`

/** The time and the id of a delivery; null for a cursor that no page of this webhook has returned. */
export const decodeCursor = (webhook: string, text: string): readonly [at: number, id: string] | null => {
  // A cursor of an earlier version has no webhook.
  const cursor = text.startsWith(`${webhook}:`) ? text.slice(webhook.length + 1) : text
  const dot = cursor.indexOf(".")
  const at = Number(cursor.slice(0, dot))
  return dot > 0 && Number.isSafeInteger(at) ? [at, cursor.slice(dot + 1)] : null
}
