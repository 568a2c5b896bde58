// A session as an MCP client under the official conformance suite: connects to the server whose address is the last argument,
// calls each of its tools in a turn, and accepts whatever it asks of the user.
// The suite runs it: see run.mjs.
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

/** What the suite gives a client that signs in as itself. */
interface Context {
  readonly client_id?: string
  readonly client_secret?: string
}
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context // the suite writes it
const oauth =
  context.client_secret === undefined || context.client_id === undefined
    ? {}
    : {
        oauth: {
          grant: "client_credentials" as const,
          clientId: context.client_id,
          clientSecret: context.client_secret,
        },
      }

const api = await createFakeApi()
const harness = new SessionHarness(
  api.url,
  { permissionMode: "bypassPermissions", mcpServers: { suite: { type: "http", url, ...oauth } } },
  { PERCH_FETCH_ALLOW: "127.0.0.1,localhost" },
)
const { session, idle } = harness.boot()
const client = harness.connect({ Stop: {} })
await client.initialize()

const answered = new Set<string>()
const answering = setInterval(() => {
  for (const { id } of client.asked("elicitation")) {
    if (answered.has(id)) continue
    answered.add(id)
    client.answer(id, { action: "accept", content: {} })
  }
}, 20)

const turn = async (name: string, ...turns: ReadonlyArray<object>) => {
  api.set(name, [...turns, DONE] as Parameters<typeof api.set>[1]) // turns of the script
  prompt(session, promptFor(name))
  await idle()
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
