// No field of the protocol is accepted and ignored: unsupported fields are refused by name, at every endpoint.
import { describe, expect, it } from "vitest"
import { SessionOptions, SessionSettings } from "../../src/schemas/sdk/options/options.ts"
import type { FieldRules } from "../../src/schemas/sdk/status/field-rules.ts"
import { HOOK_STATUS } from "../../src/schemas/sdk/status/hook-status.ts"
import { OPTION_STATUS } from "../../src/schemas/sdk/status/option-status.ts"
import { PROMPT_FIELDS } from "../../src/schemas/sdk/status/prompt-status.ts"
import { REQUEST_STATUS, type RequestStatus } from "../../src/schemas/sdk/status/request-status.ts"
import { FLAGS } from "../../src/client/launch/flags.ts"
import { readArguments } from "../../src/client/launch/arguments.ts"
import { makeApi } from "../http/api.ts"
import { DONE, loop, until } from "../support/session/loop.ts"
import { promptFor } from "../support/session/scripts.ts"
import { fieldsOf } from "./sdk-fields.ts"

const { connected, scripted } = loop()
const requests: ReadonlyArray<readonly [string, RequestStatus]> = Object.entries(REQUEST_STATUS)

/** Values that request something and have the right shape; for other fields it is `true`. */
const ASKING: Readonly<Record<string, unknown>> = {
  "initialize.skills": ["pdf"],
  "initialize.plugins": [{ type: "local", path: "/plugin" }],
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

describe("unsupported fields are refused by name", () => {
  it("in initialize: each field with a value that requests something, and none that requests nothing", async () => {
    const { client, log } = await connected()
    const before = log.lastSeq
    const fields = refusedFields(REQUEST_STATUS.initialize.fields)
    expect(fields.length).toBeGreaterThan(5)
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

  it("and a prompt after a refused initialize does not run without its hooks", async () => {
    const { client, session, idle } = await connected()
    const script = scripted([DONE])
    const frame = { type: "user", message: { role: "user", content: promptFor(script) }, parent_tool_use_id: null }
    const hooks = { PreToolUse: [{ hookCallbackIds: ["guard"] }] }
    for (const wrong of [{ settings: { model: "sonnet" } }, { hooks: 7 }, { jsonSchema: { type: "array" } }]) {
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

  it("as an unknown field, of every request and of the objects inside", async () => {
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

  it("as an option, if the official SDK's clients send it in initialize and are refused", () => {
    const fields = Object.entries(REQUEST_STATUS.initialize.fields)
    const options: Readonly<Record<string, { readonly status: string }>> = OPTION_STATUS
    // The official SDK sends these as arguments of its process.
    const arguments_ = ["settings", "disallowedTools"]
    const other = fields.filter(([name, { status }]) => (options[name]?.status ?? status) !== status)
    expect(other.map(([name]) => name)).toEqual(arguments_)
  })

  it("as a setting: each key of the SDK's settings that a session lacks", async () => {
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

  it("in a user message: a result names the field, and no turn starts", async () => {
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

  it("as an option, on every route that accepts options", async () => {
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
    expect(flags.length).toBeGreaterThan(7)
    for (const [flag, option] of flags) {
      expect(() => readArguments([`${flag}=x`], "/workspace")).toThrow(`options.${option} `)
      expect(OPTION_STATUS).toHaveProperty([option, "status"], "refused")
    }
  })
})

/** Required fields of a request. */
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
  set_mcp_permission_mode_override: { serverName: "calc", mode: null },
  mcp_reconnect: { serverName: "calc" },
  mcp_read_resource: { serverName: "calc", uri: "ui://a" },
  mcp_message: { server_name: "calc", message: { jsonrpc: "2.0", method: "notifications/progress" } },
  stop_task: { task_id: "a" },
  get_task_output: { task_id: "a" },
  set_has_subscribers: { has_subscribers: true },
  set_color: { color: "red" },
  apply_flag_settings: { settings: {} },
}
