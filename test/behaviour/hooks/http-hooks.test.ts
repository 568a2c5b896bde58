// Sessions whose options have HTTP hooks: what a failing hook blocks, and that hook secrets are never shown.
import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import type { HttpHook } from "../../../src/schemas/sdk/hooks/http-hooks.ts"
import type { HookEvent } from "../../../src/schemas/sdk/hooks/hooks.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { forkedRecord } from "../../../src/session/fork/fork-import.ts"
import { signingSecrets } from "../../../src/store/webhook-secrets.ts"
import { type HookServer, startHookServer } from "../../support/server/hook-server.ts"
import {
  BYPASS,
  DONE,
  hooksOf,
  loop,
  payloadsOf,
  resultOf,
  textOf,
  toolResultsOf,
  until,
} from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { harnessOf, scripted, messagesSent } = loop()
let hooks: HookServer

beforeAll(async () => {
  hooks = await startHookServer()
})
afterEach(() => {
  hooks.deliveries.length = 0
  hooks.answer = () => ({})
})
afterAll(() => hooks.close())

const CANARY = "canary-7f3a91"
const WRITE = { content: [call("Write", { file_path: "/workspace/a.txt", content: "a" })] }

const hook = (more: Partial<HttpHook> = {}): HttpHook => ({
  type: "http",
  url: `${hooks.url}/hook?token=${CANARY}`,
  headers: { authorization: `Bearer ${CANARY}`, "x-team": CANARY },
  ...more,
})
const hooksAt = (event: HookEvent, more: Partial<HttpHook> = {}): SessionOptions => ({
  ...BYPASS,
  hooks: { [event]: [{ hooks: [hook(more)] }] },
})

const run = async (options: SessionOptions, turns: Parameters<typeof scripted>[0], ofTurn: SessionOptions = {}) => {
  const harness = harnessOf(options)
  const booted = harness.boot()
  const script = scripted(turns)
  const turn = prompt(booted.session, promptFor(script), ofTurn)
  await booted.idle()
  return { ...booted, harness, turn, script, events: () => eventsOf(booted.log) }
}

/** Everything that the session stored, except its own record and the data of turns that have not ended. */
const stored = (harness: {
  readonly twin: { readonly sql: { exec(sql: string): { toArray(): ReadonlyArray<unknown> } } }
}) =>
  JSON.stringify([
    harness.twin.sql.exec("SELECT * FROM events").toArray(),
    harness.twin.sql.exec("SELECT * FROM inbox").toArray(),
    harness.twin.sql.exec("SELECT * FROM asks").toArray(),
    harness.twin.sql.exec("SELECT * FROM meta WHERE key <> 'session'").toArray(),
  ])

describe("an HTTP hook that fails", () => {
  it("prevents a call from running, and the model receives the reason", async () => {
    hooks.answer = () => ({ status: 500 })
    const { events, workspace } = await run(hooksAt("PreToolUse"), [WRITE, DONE])
    expect(workspace.exists("/workspace/a.txt")).toBe(false)
    expect(toolResultsOf(events())).toMatchObject([
      { is_error: true, content: expect.stringContaining(`The hook at ${hooks.url} answered with status 500.`) },
    ])
    const [fired] = payloadsOf(events(), "hook:fired").filter((one) => one["hook_event_name"] === "PreToolUse")
    expect(fired).toMatchObject({ outcome: { failures: [{ kind: "threw", blocks: true }] } })
  })

  it("lets a call run with `continue`", async () => {
    hooks.answer = () => ({ status: 500 })
    const { workspace } = await run(hooksAt("PreToolUse", { onFailure: "continue" }), [WRITE, DONE])
    expect(workspace.exists("/workspace/a.txt")).toBe(true)
  })

  it("opens an ask about a call with `ask`", async () => {
    hooks.answer = () => ({ status: 500 })
    const { session, workspace, idle, events } = await run(hooksAt("PreToolUse", { onFailure: "ask" }), [WRITE, DONE])
    expect(workspace.exists("/workspace/a.txt")).toBe(false)
    const [ask] = session.askStore.open
    expect(ask?.ask).toMatchObject({ tool_name: "Write", decision_reason_type: "hook" })
    session.asks.answer(ask!.requestId, { behavior: "allow" })
    await idle()
    expect(workspace.exists("/workspace/a.txt")).toBe(true)
    expect(resultOf(events())).toMatchObject({ subtype: "success" })
  })

  it("blocks a prompt from the model", async () => {
    hooks.answer = () => ({ status: 500 })
    const { events, script } = await run(hooksAt("UserPromptSubmit"), [DONE])
    expect(messagesSent(script)).toEqual([])
    expect(String(resultOf(events())["result"])).toContain("A UserPromptSubmit hook failed, so this was refused")
  })

  it("prevents the end of a turn, at most eight times", async () => {
    hooks.answer = () => ({ status: 500 })
    const { events, script } = await run(hooksAt("Stop"), [DONE])
    expect(hooksOf(events()).filter((name) => name === "Stop")).toHaveLength(9)
    expect(textOf(messagesSent(script).at(-1)?.at(-1))).toContain("A Stop hook failed, so this was refused")
    expect(resultOf(events())).toMatchObject({ subtype: "success" })
  })
})

describe("every call of an HTTP hook", () => {
  it("is signed with the tenant's secret, which D1 stores sealed", async () => {
    const { harness } = await run(hooksAt("PreToolUse"), [WRITE, DONE])
    const [delivery] = hooks.deliveries
    const fresh = { id: "unused", text: "unused", at: Date.now() }
    const [secret = ""] = await Effect.runPromise(signingSecrets({ ...harness.secrets, tenant: "test" }, fresh))
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature } = delivery!.headers
    expect(id).toMatch(/^msg_[0-9a-f]{32}$/)
    const key = Buffer.from(secret.slice("whsec_".length), "base64")
    expect(signature).toBe(`v1,${createHmac("sha256", key).update(`${id}.${at}.${delivery!.body}`).digest("base64")}`)
    expect(JSON.stringify(harness.database.rows("webhook_secrets"))).not.toContain(secret.slice("whsec_".length))
  })

  it("keeps its id when the process dies", async () => {
    const harness = harnessOf(hooksAt("PreToolUse"))
    const booted = harness.boot()
    let died = false
    hooks.answer = () => {
      if (!died) harness.crash()
      died = true
      return {}
    }
    prompt(booted.session, promptFor(scripted([WRITE, DONE])))
    await until(() => died)
    await harness.boot().idle()
    const ids = hooks.deliveries.map(({ headers }) => headers["webhook-id"])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })
})

describe("headers and the query of an HTTP hook", () => {
  const masked = (event: HookEvent) => ({
    [event]: [
      { hooks: [{ type: "http", url: `${hooks.url}/hook?***`, headers: { authorization: "***", "x-team": "***" } }] },
    ],
  })

  it("are sent, and never shown", async () => {
    const { session, harness, events, log } = await run(hooksAt("PreToolUse"), [WRITE, DONE])
    expect(hooks.deliveries).toMatchObject([
      { path: `/hook?token=${CANARY}`, headers: { authorization: `Bearer ${CANARY}`, "x-team": CANARY } },
    ])
    expect(session.info().options.hooks).toEqual(masked("PreToolUse"))
    session.changes.patch({ options: hooksAt("Stop") })
    session.changes.setOptions({ hooks: hooksAt("PostToolUse").hooks })
    session.resumption.resume({ options: hooksAt("Notification") })
    expect(session.info().options.hooks).toEqual(masked("Notification"))
    expect(payloadsOf(events(), "session:changed").map(({ options }) => options)).toMatchObject([
      { hooks: masked("Stop") },
      { hooks: masked("PostToolUse") },
      { hooks: masked("Notification") },
    ])
    expect(stored(harness)).not.toContain(CANARY)
    expect(log.lastSeq).toBeGreaterThan(5)
  })

  it("of one turn are sent only in it, also over a restart, and stored until it ends", async () => {
    const harness = harnessOf(BYPASS)
    const booted = harness.boot()
    const other = prompt(booted.session, promptFor(scripted([DONE])))
    const script = scripted([WRITE, DONE])
    prompt(booted.session, promptFor(script), hooksAt("PreToolUse"))
    expect(stored(harness)).toContain(CANARY)
    harness.crash()
    const again = harness.boot()
    await again.idle()
    expect(hooks.deliveries).toMatchObject([{ path: `/hook?token=${CANARY}`, input: { tool_name: "Write" } }])
    expect(stored(harness)).not.toContain(CANARY)
    expect(payloadsOf(eventsOf(again.log), "turn:queued")[1]).toMatchObject({
      options: { hooks: masked("PreToolUse") },
    })
    expect(other).toBeTruthy()
    prompt(again.session, promptFor(scripted([WRITE, DONE])))
    await again.idle()
    expect(hooks.deliveries).toHaveLength(1)
  })

  it("of a turn that is withdrawn are deleted", async () => {
    const harness = harnessOf(BYPASS)
    const { session } = harness.boot()
    prompt(session, promptFor(scripted([DONE])))
    const turn = prompt(session, promptFor(scripted([DONE])), hooksAt("PreToolUse"))
    expect(session.prompts.cancelQueued(turn)).toEqual([turn])
    expect(stored(harness)).not.toContain(CANARY)
  })

  it("are copied to a fork, by a call between sessions", async () => {
    const { forkExport, harness } = await run(hooksAt("PreToolUse"), [DONE])
    const started = forkExport.start(undefined)
    if ("refused" in started) throw new Error("no copy")
    const record = forkedRecord({ tenant: "test", id: "copy", now: () => 0 }, started, {
      parent: "parent",
      options: {},
      merge: true,
    })
    expect(record.options).toEqual(hooksAt("PreToolUse"))
    expect(JSON.stringify(forkExport.events(started.cut, 0))).not.toContain(CANARY)
    expect(stored(harness)).not.toContain(CANARY)
  })
})

describe("HTTP hooks for events that have no callbacks", () => {
  it("are called for a call that is denied", async () => {
    await run({ ...hooksAt("PermissionDenied"), permissionMode: "dontAsk" }, [WRITE, DONE])
    expect(hooks.deliveries).toMatchObject([{ input: { hook_event_name: "PermissionDenied", tool_name: "Write" } }])
  })

  it("are called for the first turn", async () => {
    await run(hooksAt("SessionStart"), [DONE])
    expect(hooks.deliveries).toMatchObject([{ input: { hook_event_name: "SessionStart", source: "startup" } }])
  })

  it("have clients warned of a field of their answer that is not supported, and the rest of the answer counts", async () => {
    const own = { hookEventName: "SessionStart", watchPaths: ["/a"], additionalContext: "It rains." }
    hooks.answer = () => ({ body: { hookSpecificOutput: own } })
    const { events, script } = await run(hooksAt("SessionStart"), [DONE])
    expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
      {
        level: "warning",
        content:
          "A field of the SessionStart:startup hook's output has no effect. watchPaths: FileChanged hooks do not fire.",
      },
    ])
    expect(JSON.stringify(messagesSent(script))).toContain("It rains.")
  })
})

describe("an elicitation of an MCP server", () => {
  it("is declined when a hook that decides it fails", async () => {
    hooks.answer = () => ({ status: 500 })
    for (const event of ["Elicitation", "ElicitationResult"] as const) {
      const harness = harnessOf({ ...hooksAt(event), permissionMode: "default" })
      const { session } = harness.boot()
      // The ask belongs to a turn, which waits here.
      prompt(session, promptFor(scripted([WRITE, DONE])))
      await until(() => session.askStore.open.length > 0)
      const client = harness.connect()
      await client.initialize({ sdkMcpServers: ["tools"] })
      const requestedSchema = { type: "object", properties: { which: { type: "string" } } }
      const params = { message: "Which?", requestedSchema }
      const question = { jsonrpc: "2.0", id: 1, method: "elicitation/create", params }
      const asked = client.request("mcp_message", { server_name: "tools", message: question })
      if (event === "ElicitationResult") {
        await until(() => client.asked("elicitation").length > 0)
        client.answer(client.asked("elicitation")[0]!.id, { action: "accept", content: { which: "one" } })
      }
      expect(await asked).toMatchObject({ response: { mcp_response: { result: { action: "decline" } } } })
    }
  })
})
