// Receives a session of a server; returns its conversation as the official SDK's session functions do.
// Invariant: a list of messages is the conversation of one moment: a message that a revert removes meanwhile is not in it.
import { ifFound } from "./if-found.ts"
import type { PerchClient } from "./perch-client.ts"
import { NotFoundError } from "./perch-error.ts"
import type { SessionMessage } from "./sdk-session-shapes.ts"

/** Characters of a prompt in the facts of a session. */
const MAX_PROMPT = 200

/** The start of a session's first prompt; undefined without one. */
export const firstPrompt = async (client: PerchClient, id: string): Promise<string | undefined> => {
  for await (const { type, message } of conversation(client, id, 1)) {
    if (type !== "user") continue
    // A user's message of the Messages API: its content is a text or a list of blocks.
    const { content } = message as { readonly content: string | ReadonlyArray<{ readonly text?: string }> }
    const text = typeof content === "string" ? content : content.find((block) => block.text !== undefined)?.text
    return text?.trim().slice(0, MAX_PROMPT)
  }
  return undefined
}

/** How often a conversation is read at most: when its head moves back while it is read, it is read again. */
const MAX_READS = 3

/** The first `count` messages of the conversation, without messages that a revert removes while they are read. */
export const firstMessages = async (
  client: PerchClient,
  id: string,
  count: number,
  withSystem: boolean,
): Promise<Array<SessionMessage>> => {
  for (let reads = 1; ; reads += 1) {
    try {
      return await readMessages(client, id, count, withSystem)
    } catch (error) {
      if (!(error instanceof NotFoundError) || reads === MAX_READS) throw error
    }
  }
}

const readMessages = async (client: PerchClient, id: string, count: number, withSystem: boolean) => {
  const messages: Array<SessionMessage> = []
  for await (const message of conversation(client, id)) {
    if (messages.length >= count) break
    if (message.type !== "system" || withSystem) messages.push(message)
  }
  return messages
}

/**
 * The messages of the conversation, page by page; none when there is no such session. As in the official SDK, messages of
 * subagents and those that were written for the model alone are left out, except for the summary of a compaction. Throws
 * NotFoundError when the conversation has meanwhile lost the last message of a page, which is the cursor of the next one.
 */
async function* conversation(client: PerchClient, id: string, limit = 100): AsyncGenerator<SessionMessage, void> {
  let after: string | null | undefined
  let isAfterBoundary = false
  do {
    const query = { limit, ...(after == null ? {} : { after }) }
    const request = client.session(id).messages(query)
    const page = await (after == null ? ifFound(request) : request)
    if (page === undefined) return
    for (const message of page.messages) {
      if (message.type !== "user" && message.type !== "assistant" && message.type !== "system") continue
      // The types of messages of other kinds have no such field.
      const parent = "parent_tool_use_id" in message ? (message.parent_tool_use_id as string | null) : null
      const isForModel = "isSynthetic" in message && message.isSynthetic === true && !isAfterBoundary
      isAfterBoundary = message.type === "system" && message.subtype === "compact_boundary"
      if (parent !== null || isForModel) continue
      yield {
        type: message.type,
        uuid: message.uuid ?? "",
        session_id: id,
        message: "message" in message ? message.message : message,
        parent_tool_use_id: null,
        parent_agent_id: null,
      }
    }
    after = page.has_more ? page.next_cursor : null
  } while (after !== null)
}
