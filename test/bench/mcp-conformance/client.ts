// A session as an MCP client under the official conformance suite: connects to the server at the address in the last argument,
// calls each of its tools in a turn, accepts every elicitation, and visits the pages at which a user signs in. The suite starts
// it: see run.mjs.
import { setTimeout } from "node:timers/promises"
import type { OAuthConfig } from "../../../src/schemas/sdk/options/mcp-oauth.ts"
import { comeBack, HOME, visit } from "../../support/mcp/browser.ts"
import { createFakeApi } from "../../support/session/scripted-api.mjs"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { prompt, SessionHarness } from "../../support/session/session-harness.ts"

const url = process.argv.at(-1) ?? ""

const INPUTS: Readonly<Record<string, object>> = { add_numbers: { a: 2, b: 3 } }
const DONE = { content: [text("Done.")] }

interface Status {
  readonly response: {
    readonly mcpServers: ReadonlyArray<{
      readonly status: string
      readonly error?: string
      readonly tools?: ReadonlyArray<{ readonly name: string }>
    }>
  }
}

/** The configuration that the suite passes to a pre-registered client. */
interface Context {
  readonly client_id?: string
  readonly client_secret?: string
  readonly private_key_pem?: string
  readonly signing_algorithm?: "ES256"
}
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context // the suite writes it
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
/** A client whose id is the URL of its metadata; the suite has one URL for all clients. */
const DOCUMENT = "https://conformance-test.local/client-metadata.json"

const known = {
  ...(context.client_id === undefined ? {} : { clientId: context.client_id }),
  ...(context.client_secret === undefined ? {} : { clientSecret: context.client_secret }),
  ...(context.private_key_pem === undefined ? {} : { privateKey: context.private_key_pem }),
  ...(context.signing_algorithm === undefined ? {} : { signingAlgorithm: context.signing_algorithm }),
  ...(scenario === "auth/basic-cimd" ? { clientId: DOCUMENT } : {}),
}
const asItself = scenario.startsWith("auth/client-credentials-") || scenario.startsWith("auth/cross-app-")
const signIn = { grant: asItself ? "client_credentials" : "authorization_code", ...known }
// The suite's context has the shape of a configuration of this grant.
const oauth = scenario.startsWith("auth/") ? { oauth: signIn as OAuthConfig } : {}

const api = await createFakeApi()
const harness = new SessionHarness(
  api.url,
  { permissionMode: "bypassPermissions", mcpServers: { suite: { type: "http", url, ...oauth } } },
  { PERCH_FETCH_ALLOW: "127.0.0.1,localhost" },
)
const booted = harness.boot()
const { authorizations, session, idle } = booted
authorizations.origin = HOME
const client = harness.connect({ Stop: {} })
await client.initialize()

const answered = new Set<string>()
const signInAt = async (requestId: string, page: string) => {
  const back = await visit(page).catch(() => undefined)
  if (back === undefined) session.asks.answer(requestId, { action: "decline" })
  else await comeBack(booted, back)
}
const answering = setInterval(() => {
  for (const { requestId, ask } of session.askStore.open) {
    if (ask.authorization !== true || answered.has(requestId)) continue
    answered.add(requestId)
    void signInAt(requestId, String(ask.input["url"]))
  }
  for (const { id } of client.asked("elicitation")) {
    if (answered.has(id)) continue
    answered.add(id)
    client.answer(id, { action: "accept", content: {} })
  }
}, 20)

const turn = async (name: string, ...turns: ReadonlyArray<object>) => {
  api.set(name, [...turns, DONE] as Parameters<typeof api.set>[1]) // turns of the script
  prompt(session, promptFor(name))
  // A turn that waits for its user is parked.
  for (let ended = false; !ended; ended = session.inbox.head() === undefined) {
    await idle()
    await setTimeout(20)
  }
}

await turn("connect")
const { response } = (await client.request("mcp_status")) as unknown as Status // the answer to mcp_status
const [server] = response.mcpServers
console.log(`${server?.status} ${server?.error ?? ""}`)
for (const { name } of server?.tools ?? []) {
  await turn(`call-${name}`, { content: [call(`mcp__suite__${name}`, { ...INPUTS[name] })] })
}

clearInterval(answering)
await harness.dispose()
await api.close()
