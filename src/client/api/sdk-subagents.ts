// Reads a session's subagents as the official SDK's session functions return them: their ids, and the conversation of each.
// Invariant: an agent's conversation is complete, since the log also has messages that were withheld from clients. Agents that
// were started in a part of the log that the conversation's head no longer includes are not returned.
import { HeadPath, type Move } from "../../schemas/log/head-path.ts"
import type { SessionMessage } from "./sdk-session-shapes.ts"
import type { PerchClient } from "./perch-client.ts"

interface Started {
  readonly agent_id: string
  readonly thread: string
}

/** The payload of an `agent:started` in the fields that are used here. */
const startedOf = ({ payload }: { readonly payload: unknown }): Started =>
  // Every event of this name has them.
  payload as Started

const PAGE = 500

/** Ids of the agents, in the order in which they were started. */
export const subagentsOf = async (client: PerchClient, session: string): Promise<Array<string>> => {
  const path = await headPath(client, session)
  const ids = new Set<string>()
  for await (const event of eventsOf(client, session, "agent:started"))
    if (path.has(event.seq)) ids.add(startedOf(event).agent_id)
  return [...ids]
}

/** The messages of an agent in all of its runs, in order; none when there is no such agent. */
export const subagentMessages = async (
  client: PerchClient,
  session: string,
  agent: string,
): Promise<Array<SessionMessage>> => {
  const path = await headPath(client, session)
  const begun = []
  for await (const event of eventsOf(client, session, "agent:started")) if (path.has(event.seq)) begun.push(event)
  const run = begun.find((event) => startedOf(event).agent_id === agent)
  if (run === undefined) return []
  const { thread } = startedOf(run)
  const messages: Array<SessionMessage> = []
  for await (const event of eventsOf(client, session, undefined, run.seq)) {
    if (event.parent_tool_use_id !== thread || !path.has(event.seq)) continue
    const { name, payload } = event
    // The server's own events, whose fields depend on their name.
    const withheld = name === "message:withheld" ? (payload as { event: string; message: object }) : null
    const type = (withheld?.event ?? name).replace(/^sdk:/, "")
    if (type !== "user" && type !== "assistant") continue
    // Both kinds of message have these fields.
    const { uuid, message } = (withheld?.message ?? payload) as { uuid: string; message: unknown }
    messages.push({ type, uuid, session_id: session, message, parent_tool_use_id: thread, parent_agent_id: null })
  }
  return messages
}

/** Returns which events of the log belong to the current conversation. */
const headPath = async (client: PerchClient, session: string): Promise<HeadPath> => {
  const moves: Array<Move> = []
  for await (const { seq, payload } of eventsOf(client, session, "head:moved"))
    // Every `head:moved` has the field.
    moves.push({ seq, to: (payload as { readonly to_seq: number }).to_seq })
  return new HeadPath(moves)
}

async function* eventsOf(client: PerchClient, session: string, name: string | undefined, after = 0) {
  for (let from = after; ;) {
    const named = name === undefined ? {} : { name }
    const page = await client.session(session).log({ after: from, limit: PAGE, order: "asc", ...named })
    yield* page.events
    const last = page.events.at(-1)
    if (!page.has_more || last === undefined) return
    from = last.seq
  }
}
