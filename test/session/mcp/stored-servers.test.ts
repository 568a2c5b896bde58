// MCP servers that a tenant has stored, in the turns of its sessions: used without being named, with their secrets, unless the
// session names another server the same or accepts none.
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { ALL_RIGHTS } from "../../support/values/actors.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { putDefinition } from "../../../src/store/definitions.ts"
import { seal } from "../../../src/store/seal.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, type SessionHarness } from "../../support/session/session-harness.ts"

const { harnessOf, scripted } = loop()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const SECRET = "Bearer tok-8181818181-canary"
const TOKEN = "query-9191919191-canary"
/** Stores the server as the route does. */
const store = async (
  harness: SessionHarness,
  rootKey = harness.secrets.rootKey,
  value: object = {},
): Promise<number> => {
  const secret = { url: `${server.http}?token=${TOKEN}`, headers: { authorization: SECRET } }
  const written = await Effect.runPromise(
    putDefinition(harness.database.d1, {
      tenant: "test",
      kind: "mcp_server",
      name: "far",
      value: { type: "http", url: `${server.http}?***`, headers: { authorization: "***" }, ...value },
      sealed: await seal(rootKey, "test", JSON.stringify(secret)),
      at: 1,
    }),
  )
  return "version" in written ? written.version : 0
}

const ECHO = { content: [call("mcp__far__echo_3", { text: "hi" }), call("mcp__far__headers", {})] }

/** A session with these options, and its turn with the stored server. */
const turn = async (options: SessionOptions, rootKey?: string, value?: object) => {
  const harness = harnessOf({ ...BYPASS, ...options })
  const booted = harness.boot()
  const definitions = await store(harness, rootKey, value)
  const run = async () => {
    const prompt = promptFor(scripted([ECHO, DONE]))
    const actor = { ...ALL_RIGHTS, definitions }
    const about = { turn: crypto.randomUUID(), onBusy: "queue" as const, options: {}, fingerprint: prompt, actor }
    booted.session.prompts.submit({ ...about, prompt })
    await booted.idle()
    return eventsOf(booted.log)
  }
  return { ...booted, harness, run, events: await run() }
}

const serversIn = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:system/init")[0]?.["mcp_servers"]

describe("a stored MCP server", () => {
  it("is used by a session that does not name it, with its secrets, which appear in no event, table, answer or log line", async () => {
    const printed: Array<unknown> = []
    const spies = (["log", "warn", "error", "info"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation((...line) => void printed.push(line)),
    )
    const { events, harness, session } = await turn({})
    const client = harness.connect({}, undefined, ALL_RIGHTS)
    await client.initialize()
    const status = await client.request("mcp_status")
    for (const spy of spies) spy.mockRestore()
    expect(JSON.stringify(toolResultsOf(events))).toContain("echo_3:")
    expect(server.asked[0]?.headers).toMatchObject({ authorization: SECRET })
    expect(serversIn(events)).toEqual([{ name: "far", status: "connected", source: "user" }])
    expect(status).toMatchObject({ response: { mcpServers: [{ name: "far", scope: "user", source: "user" }] } })
    const tables = harness.twin.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    const rows = tables.toArray().map(({ name }) => harness.twin.sql.exec(`SELECT * FROM ${name}`).toArray())
    const shown = JSON.stringify([events, rows, status, session.info(), client.frames, printed])
    for (const secret of ["tok-8181818181", TOKEN]) expect(shown).not.toContain(secret)
    expect(shown).toContain("[secret]")
  })

  it("yields to a session's server of the same name, and is not used by a session that only uses its own", async () => {
    const own = { far: { type: "sse" as const, url: server.sse } }
    expect(serversIn((await turn({ mcpServers: own })).events)).toEqual([
      { name: "far", status: "connected", source: "dynamic" },
    ])
    const off = { far: { type: "remote", enabled: false } } as SessionOptions["mcpServers"] & object
    expect(serversIn((await turn({ mcpServers: off })).events)).toEqual([
      { name: "far", status: "disabled", source: "dynamic" },
    ])
    expect(serversIn((await turn({ strictMcpConfig: true })).events)).toEqual([])
  })

  it("whose secrets can't be read is called without them, never with their mask", async () => {
    const oauth = {
      grant: "client_credentials",
      clientId: "perch",
      clientSecret: "***",
      tokenUrl: `${server.url}/token`,
    }
    await turn({}, "another-root-key-of-more-than-32-characters", { oauth })
    expect(server.asked.length).toBeGreaterThan(0)
    expect(JSON.stringify(server.asked)).not.toContain("***")
    expect(server.asked[0]?.headers).not.toHaveProperty("authorization")
  })
})
