// Reads a page of a session's messages.
import type { Server } from "../app/server.ts"
import type { MessageWithParts } from "./frames.ts"

export interface MessagePage {
  /** The oldest first. */
  readonly messages: ReadonlyArray<MessageWithParts>
  readonly has_more: boolean
  readonly next_cursor: string | null
  /** seq of the newest event when the page was read. */
  readonly last_seq: number
}

export type PageOrder = "asc" | "desc"

/** Messages in a page. Larger pages block scrolling for longer while they are rendered. */
const PAGE = 50

/** `desc` reads the messages before the cursor, without one the newest; `asc` reads those after it. */
export const readMessages = async (
  { transport }: Server,
  id: string,
  order: PageOrder,
  after: string | undefined,
  signal: AbortSignal,
): Promise<MessagePage> => {
  const query = { format: "parts", order, limit: PAGE, after }
  const page = await transport.json<MessagePage>("GET", `/v1/sessions/${id}/messages`, { query, signal })
  return order === "asc" ? page : { ...page, messages: page.messages.toReversed() }
}
