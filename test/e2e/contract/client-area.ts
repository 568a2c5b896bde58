// Other clients' routes: runs of chat channels, AG-UI, opencode's, MCP, and the callback of a sign-in.
import type { Ask } from "../../support/server/client.ts"
import { startMcpServer } from "../../support/server/mcp-server.ts"
import { startOAuthServer } from "../../support/mcp/oauth-server.ts"
import { call, scriptName, text } from "../../support/session/scripts.ts"
import { ask, root, scripted } from "./tour.ts"

const STREAM = { accept: "text/event-stream" }
const LATER = { prefer: "respond-async" }
const DONE = { content: [text("Done.")] }

export const runArea = async (): Promise<void> => {
  const sessionId = scriptName("chat")
  const run = async (runId: string, ...steps: ReadonlyArray<unknown>) => ({
    json: { sessionId, runId, prompt: await scripted(...steps, DONE), timeoutMs: 60_000 },
  })
  await ask("runAgent", 200, await run("r-1"))
  await ask("runAgent", 200, { ...(await run("r-2")), headers: STREAM })
  const question = call("AskUserQuestion", {
    questions: [
      {
        question: "Which?",
        header: "Which",
        multiSelect: false,
        options: ["A", "B"].map((label) => ({ label, description: label })),
      },
    ],
  })
  await ask("runAgent", 202, { ...(await run("r-3", { content: [question] })), headers: LATER })
  const params = { runId: "r-3" }
  await ask("getAgentRun", 202, { params, query: { sessionId } })
  await ask("abortAgentRun", 200, { params, json: { sessionId } })
  await ask("getAgentRun", 200, { params, query: { sessionId, wait: 30 } })
  await ask("getAgentRun", 200, { params: { runId: "r-2" }, query: { sessionId }, headers: STREAM })
  await ask("deleteAgentRun", 200, { params, query: { sessionId } })
}

const agUi = async (): Promise<void> => {
  const content = await scripted({ content: [call("TodoWrite", { todos: [] }), text("Some text.")] }, DONE)
  const messages = [{ id: "m1", role: "user", content }]
  const json = { threadId: scriptName("thread"), runId: "u-1", messages, state: {}, tools: [], context: [] }
  await ask("runAgUi", 200, { json: { ...json, forwardedProps: {} }, headers: STREAM })
}

const opencode = async (): Promise<void> => {
  const ids = scriptName("ses").replace("-", "")
  const sessionID = `ses_${ids}`
  const messageID = `msg_${ids}`
  const { headers } = await ask("sdkStart", 200, { json: { sessionID, messageID, prompt: await scripted(DONE) } })
  const id = headers.get("perch-session-id") ?? ""
  const params = { id }
  await ask("streamEvents", 200, { params, query: { format: "parts", after: 0 }, until: "session.idle" })
  const query = { format: "client", client: "tour", after: 0 }
  await ask("streamEvents", 200, { params, query, until: "client_event" })
  await ask("sdkModel", 200, { json: { sessionID, model: "claude-sonnet-4-5" } })
  await ask("sdkInterrupt", 200, { json: { sessionID } })
  await ask("sdkRewind", 200, { json: { sessionID, messageID } })
}

const mcp = async (): Promise<void> => {
  const headers = { accept: "application/json, text/event-stream" }
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "tour", version: "1" } }
  await ask("mcp", 200, { headers, json: { jsonrpc: "2.0", id: 1, method: "initialize", params } })
  const run = { name: "perch_run", arguments: { prompt: await scripted(DONE) }, _meta: { progressToken: "p" } }
  await ask("mcp", 200, { headers, json: { jsonrpc: "2.0", id: 2, method: "tools/call", params: run } })
  await ask("mcp", 202, { headers, json: { jsonrpc: "2.0", method: "notifications/initialized" } })
}

/** A user signs in to an MCP server of a session, and the browser returns to Perch. */
const signIn = async (): Promise<void> => {
  const [server, oauth] = await Promise.all([startMcpServer(), startOAuthServer()])
  try {
    oauth.protect(server)
    const id = await root.createSession({
      permissionMode: "bypassPermissions",
      mcpServers: { far: { type: "http", url: server.http, oauth: { grant: "authorization_code" } } },
    })
    const prompt = await scripted({ content: [call("mcp__far__echo_1", {})] }, DONE)
    const { json } = await ask("querySession", 202, { params: { id }, json: { prompt } })
    const [asked] = json["pending"] as ReadonlyArray<Ask>
    const page = await fetch(String(asked?.input["url"]), { redirect: "manual" })
    const back = new URL(page.headers.get("location") ?? "")
    await ask("oauthCallback", 200, { query: Object.fromEntries(back.searchParams), key: null })
    await ask("getTurn", 200, { params: { id, turn_id: String(json["turn_id"]) }, query: { wait: 30 } })
  } finally {
    await Promise.all([server.close(), oauth.close()])
  }
}

export const clientArea = async (): Promise<void> => {
  await agUi()
  await opencode()
  await mcp()
  await signIn()
}
