// Deny rules that meet a call only after it was judged: an answer or a hook has changed its input, or a rule was added while
// its ask was open.
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, hooksOf, loop, payloadsOf, toolResultsOf, until } from "../../support/session/loop.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import type { HookTable } from "../../support/session/session-client.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, scripted } = loop()
let server: TestMcpServer
beforeAll(async () => {
  server = await startMcpServer()
})
afterAll(() => server.close())

type Rules = NonNullable<NonNullable<SessionOptions["settings"]>["permissions"]>

const skill = (name: string) => `---\nname: ${name}\ndescription: d\nallowed-tools: Bash(ls:*)\n---\nBody of ${name}.`
const agent = (type: string) => ({ subagent_type: type, description: "d", prompt: "p" })
const page = (host: string) => ({ url: `https://${host}.example.com/`, prompt: "p" })

const opened = async (permissions: Rules, hooks: HookTable = {}) => {
  const mcpServers = { far: { type: "http" as const, url: server.http } }
  const session = await connected(hooks, { settings: { permissions }, settingSources: ["project"], mcpServers })
  const { workspace } = session
  for (const name of ["kept", "closed"]) workspace.writeBytes(`/workspace/${name}`, `this is ${name}`)
  for (const name of ["one", "two"]) workspace.writeBytes(`/workspace/.claude/skills/${name}/SKILL.md`, skill(name))
  return session
}

/** Runs a turn with one call to its end; expects the call to be refused as a whole, and to have no effect. */
const refused = async (
  { session, workspace, idle, log }: Awaited<ReturnType<typeof opened>>,
  use: ReturnType<typeof call>,
  whileAsked?: () => Promise<void>,
) => {
  prompt(session, promptFor(scripted([{ content: [use] }, DONE])))
  if (whileAsked !== undefined) {
    await until(() => session.askStore.open.length === 1)
    await whileAsked()
  }
  await idle()
  const events = eventsOf(log)
  expect(toolResultsOf(events)).toMatchObject([
    { is_error: true, content: expect.stringMatching(/denied by a permission rule|permission settings deny/) },
  ])
  expect(payloadsOf(events, "sdk:system/permission_denied")).toHaveLength(1)
  expect(hooksOf(events)).not.toContain("PostToolUse")
  expect(payloadsOf(events, "agent:started")).toEqual([])
  expect(JSON.stringify(events)).not.toContain("Body of two.")
  expect(["kept", "closed", "made"].map((name) => workspace.exists(`/workspace/${name}`))).toEqual([true, true, false])
  expect(workspace.readText("/workspace/closed")).toBe("this is closed")
}

describe("an answer that changes the input into one that a rule denies", () => {
  const write = call("Write", { file_path: "made", content: "x" })

  it.each<readonly [Rules, ReturnType<typeof call>, Readonly<Record<string, unknown>>]>([
    [{ deny: ["Edit(closed)"] }, write, { file_path: "closed", content: "x" }],
    [{ deny: ["Read(closed)"] }, write, { file_path: "closed", content: "x" }],
    [{ deny: ["Read(closed)"] }, call("Read", { file_path: "/other/a" }), { file_path: "closed" }],
    [{ deny: ["Read(closed)"] }, call("Grep", { pattern: "x", path: "/other" }), { pattern: "is", path: "closed" }],
    [{ deny: ["Bash(rm:*)"] }, call("Bash", { command: "touch made" }), { command: "touch made; rm kept" }],
    [{ deny: ["WebFetch(domain:b.example.com)"] }, call("WebFetch", page("a")), page("b")],
    [{ ask: ["Agent(Plan)"], deny: ["Agent(Explore)"] }, call("Agent", agent("Plan")), agent("Explore")],
    [{ deny: ["Skill(two)"] }, call("Skill", { skill: "one" }), { skill: "two" }],
  ])("runs nothing: %j", async (rules, use, updatedInput) => {
    const session = await opened(rules)
    session.client.onAsk = () => ({ behavior: "allow", updatedInput })
    await refused(session, use)
  })

  it("runs nothing when a hook answers, either", async () => {
    const decision = { behavior: "allow", updatedInput: { skill: "two" } }
    const hooks = { PermissionRequest: { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } } }
    await refused(await opened({ deny: ["Skill(two)"] }, hooks), call("Skill", { skill: "one" }))
  })

  it("runs the call when the answer itself adds the rule, which then applies to the next one", async () => {
    const { client, session, workspace, idle } = await opened({})
    const rules = [{ toolName: "Write" }]
    client.onAsk = () => ({
      behavior: "allow",
      updatedPermissions: [{ type: "addRules", rules, behavior: "deny", destination: "session" }],
    })
    const second = call("Write", { file_path: "second", content: "x" })
    prompt(session, promptFor(scripted([{ content: [write] }, { content: [second] }, DONE])))
    await idle()
    expect(["made", "second"].map((name) => workspace.exists(`/workspace/${name}`))).toEqual([true, false])
    expect(client.asked("can_use_tool")).toHaveLength(1)
  })
})

it("a hook can't change a write into one of a file that may not be read", async () => {
  const hookSpecificOutput = {
    hookEventName: "PreToolUse",
    permissionDecision: "allow",
    updatedInput: { file_path: "closed", content: "x" },
  }
  const session = await opened({ deny: ["Read(closed)"] }, { PreToolUse: { hookSpecificOutput } })
  prompt(
    session.session,
    promptFor(scripted([{ content: [call("Write", { file_path: "made", content: "x" })] }, DONE])),
  )
  await session.idle()
  expect(session.workspace.readText("/workspace/closed")).toBe("this is closed")
})

describe("a rule that is added while a call is asked about", () => {
  it.each<readonly [string, ReturnType<typeof call>, Rules]>([
    ["Write", call("Write", { file_path: "made", content: "x" }), {}],
    ["Edit(made)", call("Write", { file_path: "made", content: "x" }), {}],
    ["Read(made)", call("Write", { file_path: "made", content: "x" }), {}],
    ["Bash", call("Bash", { command: "touch made" }), {}],
    ["WebFetch", call("WebFetch", page("a")), {}],
    ["Agent(Explore)", call("Agent", agent("Explore")), { ask: ["Agent"] }],
    ["Skill(two)", call("Skill", { skill: "two" }), {}],
    ["mcp__far__*", call("mcp__far__echo_3", { text: "hi" }), {}],
  ])("%s applies to it, though the answer allows it", async (rule, use, rules) => {
    const session = await opened(rules)
    const { client } = session
    await refused(session, use, async () => {
      await client.request("apply_flag_settings", { settings: { permissions: { ...rules, deny: [rule] } } })
      client.answer(client.asked("can_use_tool")[0]!.id, { behavior: "allow" })
    })
  })
})
