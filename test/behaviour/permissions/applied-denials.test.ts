// Deny rules that clients apply to a session: tools are offered as before, so that requests stay cached, and their calls are
// denied; those of MCP servers are no longer in system/init, and subagents that start later have neither.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, hooksOf, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const scripts = loop()
let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

const ALL = ["Write", "Bash", "Agent", "mcp__far__echo_3", "mcp__far__echo_4"]
const without = (...names: ReadonlyArray<string>) => ALL.filter((name) => !names.includes(name))

const touch = () => call("Bash", { command: "touch made" })
const echo = () => call("mcp__far__echo_3", { text: "hi" })

const opened = async (options: SessionOptions = {}) => {
  let beforeCall = async () => {}
  const session = await scripts.connected(
    {
      PreToolUse: async () => {
        await beforeCall()
        return {}
      },
    },
    {
      permissionMode: "bypassPermissions",
      tools: ["Bash", "Write", "Agent"],
      mcpServers: { far: { type: "http", url: server.http } },
      agents: { helper: { description: "d", prompt: "p", tools: ["Bash", "Write"] } },
      ...options,
    },
  )
  const apply = async (permissions: Readonly<Record<string, unknown>> | null) => {
    const settings = { permissions }
    expect(await session.client.request("apply_flag_settings", { settings })).toMatchObject({ subtype: "success" })
  }
  /** Runs a turn with one step for each call; returns the tools that each of its requests offers. */
  const run = async (...uses: ReadonlyArray<ReturnType<typeof call>>) => {
    const script = scripts.scripted([...uses.map((use) => ({ content: [use] })), DONE])
    prompt(session.session, promptFor(script))
    await session.idle()
    return offeredIn(script)
  }
  const duringCalls = (act: () => Promise<void>) => {
    beforeCall = act
  }
  return { ...session, apply, run, duringCalls }
}

/** Of each request of a script, the tools that are in `ALL`. */
const offeredIn = (script: string) =>
  scripts.api.log
    .filter((entry) => entry.script === script)
    .map(({ body }) => {
      const offered = JSON.stringify(body["tools"])
      return ALL.filter((name) => offered.includes(`"name":"${name}"`))
    })

/** Of each turn, whether its system/init lists the tool that `echo` calls. */
const reported = (log: Parameters<typeof eventsOf>[0]) =>
  payloadsOf(eventsOf(log), "sdk:system/init").map(({ tools }) => JSON.stringify(tools).includes("mcp__far__echo_3"))

const denied = (log: Parameters<typeof eventsOf>[0]) => payloadsOf(eventsOf(log), "sdk:system/permission_denied")

describe.each(["Bash", "Bash(*)", "B*", "Bash()"])("a rule %j that a client applies", (rule) => {
  it.each(["before the first prompt", "later"])(
    "%s, leaves the tool in requests and denies its calls",
    async (when) => {
      const { apply, log, run, workspace } = await opened()
      if (when === "later") await run()
      await apply({ deny: [rule] })
      expect(await run(touch())).toEqual([ALL, ALL])
      expect(hooksOf(eventsOf(log))).toContain("PreToolUse")
      expect(denied(log)).toMatchObject([{ tool_name: "Bash" }])
      expect(workspace.exists("/workspace/made")).toBe(false)
    },
  )
})

it("permits the tool again when the client removes the rule", async () => {
  const { apply, run, workspace } = await opened()
  await apply({ deny: ["Bash"] })
  await run(touch())
  await apply(null)
  expect(await run(touch())).toEqual([ALL, ALL])
  expect(workspace.exists("/workspace/made")).toBe(true)
})

it("leaves the tool in requests after a restart, too", async () => {
  const { apply, harness, run } = await opened()
  await run()
  await apply({ deny: ["Bash"] })
  harness.crash()
  const { session, log, idle, workspace } = harness.boot()
  const script = scripts.scripted([{ content: [touch()] }, DONE])
  prompt(session, promptFor(script))
  await idle()
  expect(offeredIn(script).map((names) => names.includes("Bash"))).toEqual([true, true])
  expect(denied(log)).toMatchObject([{ tool_name: "Bash" }])
  expect(workspace.exists("/workspace/made")).toBe(false)
})

it.each<readonly [string, SessionOptions]>([
  ["disallowedTools", { disallowedTools: ["Bash"] }],
  ["settings", { settings: { permissions: { deny: ["Bash"] } } }],
])("does not offer what %s of the session removed, also when a client applies the same rule", async (_, options) => {
  const { apply, run } = await opened(options)
  expect(await run()).toEqual([without("Bash")])
  await apply({ deny: ["Bash", "Write"] })
  expect(await run()).toEqual([without("Bash")])
  await apply(null)
  expect(await run()).toEqual([without("Bash")])
})

it("leaves a tool of an MCP server in requests, but not in system/init, and no later answer can call it", async () => {
  const { apply, duringCalls, log, run } = await opened()
  duringCalls(() => apply({ deny: ["mcp__far__echo_3"] }))
  expect(await run(touch(), echo())).toEqual([ALL, ALL, ALL])
  expect(await run(echo())).toEqual([ALL, ALL])
  expect(toolResultsOf(eventsOf(log)).map(({ content }) => content)).toEqual([
    expect.anything(),
    ...Array(2).fill(expect.stringContaining("No such tool available: mcp__far__echo_3")),
  ])
  expect(reported(log)).toEqual([true, false])
})

it("judges the calls of the same answer by the rule", async () => {
  const { apply, duringCalls, log, run } = await opened()
  duringCalls(() => apply({ deny: ["mcp__far__*"] }))
  await run(echo())
  expect(hooksOf(eventsOf(log))).toContain("PreToolUse")
  expect(denied(log)).toMatchObject([{ tool_name: "mcp__far__echo_3" }])
})

it.each(["mcp__far", "mcp__far__echo_3"])(
  "an answer's rule %j applies from the next request on, until it is removed",
  async (toolName) => {
    const { client, log, run } = await opened({ permissionMode: "default" })
    const updated = (type: string) => ({
      behavior: "allow",
      updatedPermissions: [{ type, rules: [{ toolName }], behavior: "deny", destination: "session" }],
    })
    const answers = [updated("addRules"), updated("removeRules")]
    client.onAsk = () => answers.shift() ?? { behavior: "allow" }
    expect(await run(touch(), echo(), touch(), echo())).toEqual([ALL, ALL, ALL, ALL, ALL])
    expect(toolResultsOf(eventsOf(log)).map((result) => result.is_error === true)).toEqual([false, true, false, false])
  },
)

it("an answer's rule removes tools of MCP servers from subagents that start later, and from the next system/init", async () => {
  const { client, log, run } = await opened({
    permissionMode: "default",
    agents: { helper: { description: "d", prompt: "p" } },
  })
  const rules = [{ toolName: "mcp__far__echo_3" }]
  const updatedPermissions = [{ type: "addRules", rules, behavior: "deny", destination: "session" }]
  client.onAsk = () => ({ behavior: "allow", updatedPermissions })
  const inner = scripts.scripted([DONE])
  const delegate = call("Agent", { subagent_type: "helper", description: "d", prompt: promptFor(inner) })
  expect(await run(touch(), delegate)).toEqual([ALL, ALL, ALL])
  expect(offeredIn(inner)).toEqual([without("mcp__far__echo_3")])
  expect(await run()).toEqual([ALL])
  expect(reported(log)).toEqual([true, false])
})

it("removes tools of subagents that start after the rule", async () => {
  const { apply, log, run, workspace } = await opened()
  await apply({ deny: ["Bash"] })
  const inner = scripts.scripted([{ content: [touch()] }, DONE])
  const delegate = call("Agent", { subagent_type: "helper", description: "d", prompt: promptFor(inner) })
  expect(await run(delegate)).toEqual([ALL, ALL])
  expect(offeredIn(inner)).toEqual([["Write"], ["Write"]])
  expect(denied(log)).toEqual([])
  expect(workspace.exists("/workspace/made")).toBe(false)
})
