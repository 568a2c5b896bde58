// A tenant's stored definitions in a session: reloaded when their version changes, fixed for a whole turn, kept over restarts.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ALL_RIGHTS } from "../../support/values/actors.ts"
import { putDefinition } from "../../../src/store/definitions.ts"
import { seal } from "../../../src/store/seal.ts"
import { DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { eventsOf, type SessionHarness } from "../../support/session/session-harness.ts"
import type { SessionCore } from "../../../src/session/core.ts"

const { harnessOf, scripted } = loop()

const AGENT = { description: "Reviews.", prompt: "Review." }

const store = async (harness: SessionHarness, name: string, change: object = {}) => {
  const definition = { tenant: "test", kind: "agent" as const, name, value: AGENT, sealed: null, at: 1, ...change }
  const written = await Effect.runPromise(putDefinition(harness.database.d1, definition))
  if (written.state !== "created" && written.state !== "replaced") throw new Error(written.state)
  return written.version
}

/** Queues a prompt of a client whose tenant's definitions have this version. */
const promptAt = (session: SessionCore, definitions?: number) => {
  const text = promptFor(scripted([DONE]))
  const actor = definitions === undefined ? ALL_RIGHTS : { ...ALL_RIGHTS, definitions }
  const turn = crypto.randomUUID()
  const submitted = session.prompts.submit({
    turn,
    prompt: text,
    onBusy: "queue",
    options: {},
    fingerprint: text,
    actor,
  })
  expect(submitted).not.toHaveProperty("refused")
  return turn
}

const agentsOf = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:system/init").map(({ agents }) => (agents as Array<string>).join())

describe("stored definitions", () => {
  it("cost nothing for a session whose tenant has none", async () => {
    const harness = harnessOf()
    const { session, idle, log } = harness.boot()
    const before = harness.database.calls
    promptAt(session)
    await idle()
    expect(harness.database.calls).toBe(before)
    expect(payloadsOf(eventsOf(log), "definitions:loaded")).toEqual([])
    expect(payloadsOf(eventsOf(log), "turn:queued")[0]).not.toHaveProperty("definitions")
    expect(harness.twin.sql.exec("SELECT key FROM meta WHERE key = 'definitions'").toArray()).toEqual([])
  })

  it("that no longer decode are left out, and the others apply", async () => {
    const harness = harnessOf()
    const { session, idle, log } = harness.boot()
    await store(harness, "old", { value: { description: "Reviews." } })
    await store(harness, "template", { kind: "command", value: { template: 7 } })
    await store(harness, "greet", { kind: "command", value: { template: "Greet." } })
    promptAt(session, await store(harness, "reviewer"))
    await idle()
    expect(agentsOf(eventsOf(log))[0]?.split(",")).toContain("reviewer")
    expect(agentsOf(eventsOf(log))[0]?.split(",")).not.toContain("old")
    const commands = session.commands.listed().map(({ name }) => name)
    expect(commands).toContain("greet")
    expect(commands).not.toContain("template")
  })

  it("are loaded once per version, before the turn starts, and are logged as an event", async () => {
    const harness = harnessOf()
    const { session, idle, log } = harness.boot()
    await store(harness, "reviewer")
    promptAt(session, 1)
    await idle()
    const calls = harness.database.calls
    promptAt(session, 1)
    await idle()
    expect(harness.database.calls).toBe(calls)
    await store(harness, "writer")
    promptAt(session, 2)
    await idle()
    const events = eventsOf(log)
    expect(agentsOf(events)).toEqual([
      "Explore,general-purpose,Plan,reviewer",
      "Explore,general-purpose,Plan,reviewer",
      "Explore,general-purpose,Plan,reviewer,writer",
    ])
    expect(payloadsOf(events, "definitions:loaded")).toEqual([
      { version: 1, values: { agent: { reviewer: AGENT } } },
      { version: 2, values: { agent: { reviewer: AGENT, writer: AGENT } } },
    ])
  })

  it("survive a restart, and a turn keeps the definitions that it started with", async () => {
    const harness = harnessOf()
    const first = harness.boot()
    await store(harness, "reviewer")
    promptAt(first.session, 1)
    // Only the turn's first events are written.
    harness.onCommit = () => {
      if (eventsOf(first.log).some(({ name }) => name === "sdk:system/init")) harness.crash()
    }
    await first.idle()
    harness.onCommit = () => undefined
    await store(harness, "writer")
    const { session, idle, log } = harness.boot()
    await idle()
    expect(agentsOf(eventsOf(log))).toEqual(["Explore,general-purpose,Plan,reviewer"])
    expect(session.definitions.agents.map(({ name }) => name)).toContain("reviewer")
    expect(session.definitions.agents.map(({ name }) => name)).not.toContain("writer")
  })

  it("that can't be read leave the previous ones in effect", async () => {
    const harness = harnessOf()
    const { session, idle, log } = harness.boot()
    await store(harness, "reviewer")
    promptAt(session, 1)
    await idle()
    await store(harness, "writer")
    harness.database.down = true
    promptAt(session, 2)
    await idle()
    harness.database.down = false
    promptAt(session, 2)
    await idle()
    expect(agentsOf(eventsOf(log)).map((names) => names.includes("writer"))).toEqual([false, false, true])
  })

  it("keep their secrets only in memory, also after a restart", async () => {
    const harness = harnessOf()
    const secret = "tok-4711-canary"
    const sealed = await seal(harness.secrets.rootKey, "test", JSON.stringify({ headers: { authorization: secret } }))
    const value = { type: "http", url: "https://mcp.example.com" }
    await store(harness, "issues", { kind: "mcp_server", value, sealed })
    for (let times = 0; times < 2; times++) {
      const { session, idle } = harness.boot()
      promptAt(session, 1)
      await idle()
      expect(session.definitions.stored("mcp_server")).toEqual({
        issues: { ...value, headers: { authorization: secret } },
      })
      harness.crash()
    }
    const tables = harness.twin.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
    for (const { name } of tables.toArray())
      expect(JSON.stringify(harness.twin.sql.exec(`SELECT * FROM ${name}`).toArray()), name).not.toContain(secret)
  })

  it("are in the initialize answer to a client", async () => {
    const harness = harnessOf()
    harness.boot()
    await store(harness, "reviewer")
    const client = harness.connect({}, undefined, { ...ALL_RIGHTS, definitions: 1 })
    const { response } = (await client.request("initialize", {})) as {
      response: { agents: ReadonlyArray<{ name: string; description: string }> }
    }
    expect(response.agents).toContainEqual({ name: "reviewer", description: "Reviews." })
  })
})
