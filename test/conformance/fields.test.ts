// No field of the wire is accepted and ignored: each field of each control request, user message, option, setting and hook
// event is honoured, harmless for a reason that is written down, or refused by name, through every door. The tables are
// walked against our schemas (which `test/types` compares with the SDK's types) and against the text of the SDK itself.
import { HOOK_EVENTS as SDK_EVENTS } from "@anthropic-ai/claude-agent-sdk"
import { describe, expect, it } from "vitest"
import { ClientRequests } from "../../src/schemas/sdk/control/control-requests.ts"
import { ControlAsks } from "../../src/schemas/sdk/control/control-asks.ts"
import { HOOK_EVENTS } from "../../src/schemas/sdk/hooks/hooks.ts"
import { SDKUserMessage } from "../../src/schemas/sdk/messages/messages-conversation.ts"
import { SessionOptions, SessionSettings } from "../../src/schemas/sdk/options/options.ts"
import type { FieldRules } from "../../src/schemas/sdk/status/field-rules.ts"
import { HOOK_STATUS } from "../../src/schemas/sdk/status/hook-status.ts"
import { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"
import { PROMPT_FIELDS } from "../../src/schemas/sdk/status/prompt-status.ts"
import { REQUEST_STATUS, type RequestStatus } from "../../src/schemas/sdk/status/request-status.ts"
import { FLAGS } from "../../src/client/flags.ts"
import { readArguments } from "../../src/client/arguments.ts"
import { makeApi } from "../http/api.ts"
import { DONE, loop, until } from "../support/session/loop.ts"
import type { Booted } from "../support/session/session-harness.ts"
import { promptFor } from "../support/session/scripts.ts"
import type { SessionClient } from "../support/session/session-client.ts"
import { type Probe, PROBES } from "./honoured-probes.ts"
import { optionsPage } from "./options-page.ts"
import { fieldsOf, initializeFieldsSent, isClassified, pathsOf, readText } from "./sdk-fields.ts"

const { harnessOf, connected, scripted } = loop()
const requests: ReadonlyArray<readonly [string, RequestStatus]> = Object.entries(REQUEST_STATUS)

describe("every field has its class", () => {
  it("of every control request that our schemas describe, and no rule is about a field that is never sent", () => {
    expect(Object.keys(REQUEST_STATUS).sort()).toEqual([...Object.keys(ClientRequests), "mcp_message"].sort())
    let count = 0
    for (const [subtype, { status, note, fields }] of requests) {
      expect(note, subtype).not.toBe("")
      if (status === "refused") continue
      const schema = { ...ClientRequests, mcp_message: ControlAsks.mcp_message }[subtype as keyof typeof ClientRequests]
      const paths = pathsOf(schema.ast).filter((path) => path !== "subtype")
      for (const path of paths) expect(isClassified(fields, path), `${subtype}.${path}`).toBe(true)
      count += paths.length
      const typed = (path: string) => paths.some((known) => known === path || known.startsWith(`${path}.`))
      const spoken = subtype === "initialize" ? initializeFieldsSent() : []
      for (const path of Object.keys(fields)) {
        const known =
          typed(path) || spoken.includes(path) || path.endsWith("disableAutoBackground") || path.includes("settings.")
        expect(known, `${subtype}.${path}`).toBe(true)
      }
    }
    expect(count).toBeGreaterThan(250)
  })

  it("of the initialize that the SDK's own client sends, also those that it does not type", () => {
    const sent = initializeFieldsSent()
    expect(sent.length).toBeGreaterThan(30)
    for (const name of sent) expect(Object.keys(REQUEST_STATUS.initialize.fields), name).toContain(name)
  })

  it("of user messages, as our schema and the SDK's types have them", () => {
    const names = new Set([...pathsOf(SDKUserMessage.ast), ...fieldsOf("SDKUserMessage")])
    for (const path of names) expect(isClassified(PROMPT_FIELDS, path), path).toBe(true)
  })

  it("of the options, as the SDK's types have them", () => {
    expect(Object.keys(OPTION_STATUS).sort()).toEqual(fieldsOf("Options").toSorted())
    for (const [name, { status }] of Object.entries(OPTION_STATUS)) {
      if (Object.hasOwn(SessionOptions.fields, name)) expect(status, name).toBe("honoured")
    }
  })

  it("of the settings: those that a session has are honoured", () => {
    for (const path of pathsOf(SessionSettings.ast)) {
      expect(isClassified(REQUEST_STATUS.apply_flag_settings.fields, `settings.${path}`), path).toBe(true)
    }
  })

  it("of the hook events, all that the SDK names", () => {
    expect(Object.keys(HOOK_STATUS).sort()).toEqual([...SDK_EVENTS].toSorted())
    expect([...HOOK_EVENTS].toSorted()).toEqual([...SDK_EVENTS].toSorted())
  })
})

/** Values that ask for something and have the right shape; others are `true`. */
const ASKING: Readonly<Record<string, unknown>> = {
  "initialize.agents": { helper: { description: "Helps.", prompt: "Help." } },
  "initialize.skills": ["pdf"],
  "initialize.plugins": [{ type: "local", path: "/plugin" }],
  "initialize.mcpServers": { web: { type: "http", url: "https://mcp.example.com" } },
  "initialize.supportedDialogKinds": ["refusal_fallback_prompt"],
  "initialize.settings": { model: "sonnet" },
  "initialize.disallowedTools": ["Bash"],
  "user.priority": "now",
  "user.pasted_content": ["a"],
  "user.origin": { kind: "channel", server: "s" },
  "user.parent_tool_use_id": "toolu_1",
  "user.agent_id": "a",
  "user.subagent_type": "a",
  "user.task_description": "a",
  "user.tool_use_result": { a: 1 },
  "user.file_attachments": [{ a: 1 }],
}
const asking = (field: string): unknown => (Object.hasOwn(ASKING, field) ? ASKING[field] : true)

/** What clients send for an option that was not set. */
const unset = (value: unknown): ReadonlyArray<unknown> =>
  Array.isArray(value) ? [[]] : typeof value === "object" ? [{}] : typeof value === "string" ? [null] : [false, null]

const refusedFields = (rules: FieldRules): ReadonlyArray<string> =>
  Object.entries(rules).flatMap(([path, { status }]) => (status === "refused" ? [path] : []))

describe("what Perch does not do is refused by name", () => {
  it("in initialize: each field with a value that asks for something, and none that asks for nothing", async () => {
    const { client, log } = await connected()
    const before = log.lastSeq
    const fields = refusedFields(REQUEST_STATUS.initialize.fields)
    expect(fields.length).toBeGreaterThan(12)
    for (const name of fields) {
      const value = asking(`initialize.${name}`)
      expect(await client.request("initialize", { [name]: value }), name).toMatchObject({
        subtype: "error",
        error: expect.stringContaining(`initialize.${name} `),
        error_code: "unsupported_field",
      })
      for (const nothing of unset(value).filter((one) => one !== null)) {
        expect(await client.request("initialize", { [name]: nothing }), name).toMatchObject({ subtype: "success" })
      }
    }
    expect(log.lastSeq).toBe(before)
  })

  it("and a prompt behind a refused initialize does not run without its hooks", async () => {
    const { client, session, idle } = await connected()
    const script = scripted([DONE])
    const frame = { type: "user", message: { role: "user", content: promptFor(script) }, parent_tool_use_id: null }
    const hooks = { PreToolUse: [{ hookCallbackIds: ["guard"] }] }
    for (const wrong of [{ agents: ASKING["initialize.agents"] }, { hooks: 7 }, { jsonSchema: { type: "array" } }]) {
      client.frames.length = 0
      expect(await client.request("initialize", { hooks, ...wrong })).toMatchObject({ subtype: "error" })
      client.send(frame)
      await until(() => client.frames.some(({ type }) => type === "result"))
      expect(client.frames.at(-1)).toMatchObject({ errors: [expect.stringContaining("initialize was refused")] })
    }
    expect(session.inbox.open).toEqual([])
    expect(await client.request("initialize", { hooks })).toMatchObject({ subtype: "success" })
    client.send(frame)
    await idle()
    expect(client.frames.at(-1)).toMatchObject({ type: "system", subtype: "session_state_changed", state: "idle" })
  })

  it("as whole control requests", async () => {
    const { client } = await connected()
    const WHOLE: Readonly<Record<string, object>> = {
      mcp_call: { tool: "a" },
      mcp_read_resource: { serverName: "a", uri: "b" },
      register_repo_root: { directory: "/a" },
      reload_plugins: {},
      update_settings: { source: "localSettings", settings: {} },
    }
    const refused = requests.filter(([, { status }]) => status === "refused").map(([subtype]) => subtype)
    expect(refused.toSorted()).toEqual(Object.keys(WHOLE).toSorted())
    for (const subtype of refused) {
      expect(await client.request(subtype, WHOLE[subtype])).toMatchObject({
        error: expect.stringContaining(`"${subtype}"`),
        error_code: "unsupported_request",
      })
    }
  })

  it("as an unknown field, of every request and of what is inside them", async () => {
    const { client } = await connected()
    const INSIDE: ReadonlyArray<readonly [string, object, string]> = [
      ["initialize", { hooks: { Moon: [] } }, "initialize.hooks.Moon"],
      [
        "initialize",
        { hooks: { Stop: [{ hookCallbackIds: ["a"], contextOnly: true }] } },
        "initialize.hooks.Stop[0].contextOnly",
      ],
      ["initialize", { sdkMcpServerConfigs: { a: { moon: 1 } } }, "initialize.sdkMcpServerConfigs.a.moon"],
      ["mcp_set_servers", { servers: { a: { type: "sdk", name: "a", moon: 1 } } }, "mcp_set_servers.servers.a.moon"],
      [
        "apply_flag_settings",
        { settings: { permissions: { moon: [] } } },
        "apply_flag_settings.settings.permissions.moon",
      ],
    ]
    for (const [subtype, fields, place] of INSIDE) {
      expect(await client.request(subtype, fields), place).toMatchObject({
        error: expect.stringContaining(`${place} `),
      })
    }
    for (const [subtype, { status }] of requests) {
      if (status === "refused") continue
      const answer = await client.request(subtype, { ...FITTING[subtype], moon: "full" })
      expect(answer, subtype).toMatchObject({ error: expect.stringContaining(`${subtype}.moon `) })
    }
  })

  it("as a setting: each key of the SDK's settings that a session does not have", async () => {
    const { client, log } = await connected()
    const before = log.lastSeq
    const keys = fieldsOf("Settings").filter((key) => !Object.hasOwn(SessionSettings.fields, key))
    expect(keys.length).toBeGreaterThan(50)
    for (const key of keys) {
      const answer = await client.request("apply_flag_settings", { settings: { [key]: true } })
      expect(answer).toMatchObject({ error: expect.stringContaining(`settings.${key} is not a setting`) })
    }
    expect(log.lastSeq).toBe(before)
  })

  it("in a user message: a result names the field, and no turn begins", async () => {
    const { client, session, log } = await connected()
    const message = { type: "user", message: { role: "user", content: "x" }, parent_tool_use_id: null, session_id: "" }
    const fields = refusedFields(PROMPT_FIELDS).filter((path) => !path.includes("."))
    for (const name of [...fields, "moon"]) {
      client.frames.length = 0
      client.send({ ...message, [name]: asking(`user.${name}`) })
      await until(() => client.frames.length > 0)
      expect(client.frames, name).toMatchObject([{ type: "result", is_error: true }])
      expect(JSON.stringify(client.frames)).toContain(`user.${name} `)
    }
    client.send({ ...message, message: { role: "assistant", content: "x" } })
    expect(session.inbox.open).toEqual([])
    expect(log.lastSeq).toBe(0)
  })

  it("as an option, on every route that takes options", async () => {
    const { refused, create, sessions } = makeApi()
    const id = await create()
    const before = sessions.byName.size
    const doors: ReadonlyArray<readonly [string, string, object]> = [
      ["POST", "/v1/sessions", {}],
      ["POST", "/v1/query", { prompt: "x" }],
      ["POST", `/v1/sessions/${id}/query`, { prompt: "x" }],
      ["PATCH", `/v1/sessions/${id}`, {}],
      ["POST", `/v1/sessions/${id}/fork`, {}],
    ]
    const OPENING = ["resume", "continue", "forkSession", "resumeSessionAt"]
    const names = [...Object.keys(OPTION_STATUS), "moon"].filter((name) => !Object.hasOwn(SessionOptions.fields, name))
    for (const name of names) {
      for (const [method, path, body] of doors) {
        if (path === "/v1/sessions" && OPENING.includes(name)) continue
        const { error } = await refused(400, method, path, { json: { ...body, options: { [name]: true } } })
        expect(error, `${method} ${path} ${name}`).toMatchObject({ field: `options.${name}` })
        expect(error.message).toMatch(new RegExp(`^options\\.${name} `))
      }
    }
    for (const [event, { status }] of Object.entries(HOOK_STATUS)) {
      if (status !== "never") continue
      const hooks = { [event]: [{ hooks: [{ type: "http", url: "https://hooks.example.com" }] }] }
      for (const [method, path, body] of doors) {
        const { error } = await refused(400, method, path, { json: { ...body, options: { hooks } } })
        expect(error).toMatchObject({ field: `options.hooks.${event}` })
      }
    }
    expect(sessions.byName.size).toBe(before)
  })

  it("as a flag of spawnPerch", () => {
    const flags = Object.entries(FLAGS).flatMap(([flag, one]) =>
      one.kind === "refused" ? [[flag, one.option] as const] : [],
    )
    expect(flags.length).toBeGreaterThan(8)
    for (const [flag, option] of flags) {
      expect(() => readArguments([`${flag}=x`])).toThrow(`options.${option} `)
      expect(OPTION_STATUS).toHaveProperty([option, "status"], "refused")
    }
    expect(() => readArguments(["--allowedTools", "Read,Skill"])).toThrow("options.skills ")
    expect(() => readArguments(["--allowedTools=Skill(pdf)"])).toThrow("options.skills ")
  })
})

/** Fields that a request can't be without. */
const FITTING: Readonly<Record<string, object>> = {
  set_permission_mode: { mode: "default" },
  generate_session_title: { description: "a" },
  rename_session: { title: "a" },
  cancel_async_message: { message_uuid: "a" },
  rewind_files: { user_message_id: "a" },
  read_file: { path: "a" },
  file_suggestions: { query: "a" },
  seed_read_state: { path: "a", mtime: 1 },
  mcp_set_servers: { servers: {} },
  mcp_toggle: { serverName: "calc", enabled: true },
  mcp_reconnect: { serverName: "calc" },
  mcp_message: { server_name: "calc", message: { jsonrpc: "2.0", method: "notifications/progress" } },
  stop_task: { task_id: "a" },
  get_task_output: { task_id: "a" },
  set_has_subscribers: { has_subscribers: true },
  set_color: { color: "red" },
  apply_flag_settings: { settings: {} },
}

describe("what initialize accepts and does not do is in its answer", () => {
  it("as a warning for each hook event that callbacks do not get", async () => {
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

describe("what is honoured has an effect", () => {
  const honoured = requests.flatMap(([subtype, { status, fields }]) =>
    status === "refused"
      ? []
      : Object.entries(fields).flatMap(([path, rule]) => (rule.status === "honoured" ? [`${subtype}.${path}`] : [])),
  )
  /** Matchers of every event have one schema; PreToolUse represents the others. */
  const same = honoured.filter((path) => /^initialize\.hooks\.(?!PreToolUse\.)\w+/.test(path))
  // As the official SDK: the mode in which a session begins is not changed when it has begun.
  const NO_EFFECT = ["apply_flag_settings.settings.permissions.defaultMode"]

  it("as a probe for every field of a control request", () => {
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
  it(`that two requests which differ in it show (${probes.length} fields)`, async () => {
    for (const [path, probe] of probes) {
      const subtype = path.slice(0, path.indexOf("."))
      const one = await outcomeOf(subtype, probe.one, probe)
      expect(await outcomeOf(subtype, probe.one, probe), `${path} twice`).toBe(one)
      expect(await outcomeOf(subtype, probe.other, probe), path).not.toBe(one)
    }
  })

  it("as hooks of every event that a client registers", async () => {
    for (const event of HOOK_EVENTS) {
      const { client, clients } = await connected()
      await client.request("initialize", { hooks: { [event]: [{ hookCallbackIds: ["a"] }] } })
      expect(clients.registration.hooks).toEqual({ [event]: [{ hookCallbackIds: ["a"] }] })
    }
  })

  it("as a server of mcp_set_servers that goes by the key of its entry", async () => {
    const { client, clients } = await connected()
    answering(client)
    await client.request("mcp_set_servers", { servers: { one: { type: "sdk", name: "other" } } })
    expect(Object.keys(clients.registration.sdk_servers)).toEqual(["one"])
  })

  it("as the default mode of a session, which begins with it", () => {
    const { session } = harnessOf({ settings: { permissions: { defaultMode: "plan" } } }).boot()
    expect(session.permissions.policy().mode).toBe("plan")
  })

  it("as a prompt's uuid and shouldQuery", async () => {
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

/** The client answers for every MCP server that it is asked about. */
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

/** The answer to a request, and all that it changed. */
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

describe("docs/options.md", () => {
  it("is made of these tables: `npx vitest run --project node test/conformance/fields.test.ts -u` writes it", async () => {
    await expect(optionsPage()).toMatchFileSnapshot("../../docs/options.md")
  })
})
