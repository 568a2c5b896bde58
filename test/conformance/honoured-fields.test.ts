// No field of the protocol is accepted and ignored: an honoured field has a visible effect, and the answer to initialize names
// what is accepted without effect.
import { describe, expect, it } from "vitest"
import { HOOK_EVENTS } from "../../src/schemas/sdk/hooks/hooks.ts"
import { HOOK_STATUS } from "../../src/schemas/sdk/status/hook-status.ts"
import { REQUEST_STATUS, type RequestStatus } from "../../src/schemas/sdk/status/request-status.ts"
import { DONE, loop, until } from "../support/session/loop.ts"
import type { Booted } from "../support/session/session-harness.ts"
import { promptFor } from "../support/session/scripts.ts"
import type { SessionClient } from "../support/session/session-client.ts"
import { type Probe, PROBES } from "./honoured-probes.ts"
import { readText } from "./sdk-fields.ts"

const { harnessOf, connected, scripted } = loop()
const requests: ReadonlyArray<readonly [string, RequestStatus]> = Object.entries(REQUEST_STATUS)

describe("the answer to initialize names what is accepted without effect", () => {
  it("with a warning for each hook event that callbacks can't receive", async () => {
    const { client } = await connected()
    const hooks = Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hookCallbackIds: [event] }]]))
    const { response } = (await client.request("initialize", { hooks })) as {
      response: { warnings: Array<{ field: string }> }
    }
    const silent = HOOK_EVENTS.filter((event) => HOOK_STATUS[event].status !== "fires")
    expect(response.warnings.map(({ field }) => field)).toEqual(silent.map((event) => `initialize.hooks.${event}`))
    const quiet = await client.request("initialize", { hooks: { PreToolUse: [{ hookCallbackIds: ["a"] }] } })
    expect(quiet["response"]).not.toHaveProperty("warnings")
  })
})

describe("an honoured field has an effect", () => {
  const honoured = requests.flatMap(([subtype, { status, fields }]) =>
    status === "refused"
      ? []
      : Object.entries(fields).flatMap(([path, rule]) => (rule.status === "honoured" ? [`${subtype}.${path}`] : [])),
  )
  /** Matchers of every event have the same schema; PreToolUse represents them. */
  const same = honoured.filter((path) => /^initialize\.hooks\.(?!PreToolUse\.)\w+/.test(path))
  // As the official SDK: the initial mode of a session can't be changed after its start.
  const NO_EFFECT = ["apply_flag_settings.settings.permissions.defaultMode"]

  it("shown by a probe for every field of a control request", () => {
    expect(Object.keys(PROBES).sort()).toEqual(
      honoured.filter((path) => !same.includes(path) && !NO_EFFECT.includes(path)).toSorted(),
    )
    for (const probe of Object.values(PROBES)) {
      if (!("elsewhere" in probe)) continue
      const [file, title] = probe.elsewhere
      expect(readText(file)).toContain(title)
    }
  })

  const probes = Object.entries(PROBES).flatMap(([path, probe]) =>
    "elsewhere" in probe ? [] : [[path, probe] as const],
  )
  it(`shown by two requests that differ only in it (${probes.length} fields)`, async () => {
    for (const [path, probe] of probes) {
      const subtype = path.slice(0, path.indexOf("."))
      const one = await outcomeOf(subtype, probe.one, probe)
      expect(await outcomeOf(subtype, probe.one, probe), `${path} twice`).toBe(one)
      expect(await outcomeOf(subtype, probe.other, probe), path).not.toBe(one)
    }
  })

  it("shown by hooks of every event that a client registers", async () => {
    for (const event of HOOK_EVENTS) {
      const { client, clients } = await connected()
      await client.request("initialize", { hooks: { [event]: [{ hookCallbackIds: ["a"] }] } })
      expect(clients.registration.hooks).toEqual({ [event]: [{ hookCallbackIds: ["a"] }] })
    }
  })

  it("shown by a server of mcp_set_servers, which goes by the key of its entry", async () => {
    const { client, clients } = await connected()
    answering(client)
    await client.request("mcp_set_servers", { servers: { one: { type: "sdk", name: "other" } } })
    expect(Object.keys(clients.registration.sdk_servers)).toEqual(["one"])
  })

  it("shown by the default mode of a session, which it starts with", () => {
    const { session } = harnessOf({ settings: { permissions: { defaultMode: "plan" } } }).boot()
    expect(session.permissions.policy().mode).toBe("plan")
  })

  it("shown by a prompt's uuid and shouldQuery", async () => {
    const { client, session, idle } = await connected()
    const uuid = crypto.randomUUID()
    const script = scripted([DONE])
    const frame = {
      type: "user",
      message: { role: "user", content: promptFor(script) },
      parent_tool_use_id: null,
      uuid,
    }
    client.send({ ...frame, shouldQuery: false, client_composed: true, priority: "next", origin: { kind: "human" } })
    await idle()
    expect(session.turns.status(uuid)).toMatchObject({ status: "completed", result: { num_turns: 0 } })
  })
})

/** The client answers for every MCP server. */
const answering = (client: SessionClient) => {
  const answered = new Set<string>()
  const tick = () => {
    for (const { id, request } of client.asked("mcp_message")) {
      if (answered.has(id)) continue
      answered.add(id)
      const message = request["message"] as { readonly id?: number; readonly method: string }
      const result =
        message.method === "initialize"
          ? { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "calc", version: "1" } }
          : { tools: [{ name: "add", inputSchema: { type: "object" } }] }
      const response = { mcp_response: { jsonrpc: "2.0", id: message.id ?? 0, result } }
      client.send({ type: "control_response", response: { subtype: "success", request_id: id, response } })
    }
    if (client.socket.readyState === WebSocket.OPEN) setImmediate(tick)
  }
  tick()
}

/** The answer to a request, and everything that it changed. */
const outcomeOf = async (subtype: string, fields: object, probe: Exclude<Probe, { elsewhere: unknown }>) => {
  const harness = harnessOf({})
  const open: Booted = harness.boot()
  const client = harness.connect({}, "client")
  answering(client)
  if (subtype !== "initialize") await client.request("initialize", { sdkMcpServers: ["calc"] })
  await until(
    () => open.clients.registration.connected.length === Object.keys(open.clients.registration.sdk_servers).length,
  )
  await probe.prepare?.(open)
  const answer = await client.request(subtype, fields, "probe")
  const status = await client.request("mcp_status", {}, "status")
  const { session, clients } = open
  const { options, title } = session.record
  const asked = client.asked("mcp_message").length
  const state = [answer, status, options, title, session.permissions.policy(), clients.registration, asked]
  harness.detach(client, true)
  return JSON.stringify(state)
}
