// Receives payloads of events; returns the fields that the AG-UI view needs.
import type { TurnQueued } from "../../schemas/log/event-payloads.ts"

type Json = Readonly<Record<string, unknown>>

/** The text of a prompt: its text blocks without images and documents. */
const promptText = (prompt: TurnQueued["prompt"]): string =>
  typeof prompt === "string"
    ? prompt
    : prompt.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n")

/** The blocks of a message. */
export const blocksIn = (content: unknown): ReadonlyArray<Json> =>
  Array.isArray(content) ? (content as ReadonlyArray<Json>) : [] // the API's own blocks

/** Names of the tools that clients execute in a turn: from the turn's own options, or else from the session's. */
export const clientToolNames = (turn: TurnQueued | undefined, session: Json): ReadonlyArray<string> => {
  const tools = turn?.options["clientTools"] ?? session["clientTools"]
  // The session decoded it as ClientTools.
  return Array.isArray(tools) ? tools.map(({ name }: { readonly name: string }) => name) : []
}

/** The prompt of a turn as the `input` of its run, for readers who did not send it. */
export const inputOf = (
  queued: TurnQueued | undefined,
  ids: { readonly threadId: string; readonly runId: string; readonly turn: string },
): { readonly input?: Json } => {
  if (queued === undefined) return {}
  const messages = [{ id: ids.turn, role: "user", content: promptText(queued.prompt) }]
  return { input: { threadId: ids.threadId, runId: ids.runId, messages, tools: [], context: [] } }
}
