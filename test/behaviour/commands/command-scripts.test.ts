// Scripts in the template of a command: each is asked about, denied, run and recorded like a call of Bash.
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, hooksOf, loop, payloadsOf, textOf } from "../../support/session/loop.ts"
import type { HookTable } from "../../support/session/session-client.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const setting = loop()

const commanded = async (template: string, options: SessionOptions = {}, hooks: HookTable = {}) => {
  const commands = [{ name: "do", template: `[[script:$1]] ${template}` }]
  const opened = await setting.connected(hooks, { commands, ...options })
  const script = setting.scripted([DONE, DONE])
  const events = () => eventsOf(opened.log)
  const asks: Array<Readonly<Record<string, unknown>>> = []
  const answering = (answer: Readonly<Record<string, unknown>>) => {
    opened.client.onAsk = (request) => {
      asks.push(request)
      return answer
    }
  }
  const run = async (args = "") => {
    const turn = prompt(opened.session, `/do ${script}${args}`)
    await opened.idle()
    expect(problemsOf(events(), [turn])).toEqual([])
  }
  /** The prompt that the model received, without the script's mark. */
  const got = () => textOf(setting.messagesSent(script)[0]?.[0]).replace(/^\[\[script:\S+\]\] /, "")
  const result = () => events().findLast(({ name }) => name.startsWith("sdk:result"))?.payload
  return { ...opened, script, run, got, events, asks, answering, result }
}

const BYPASS = { permissionMode: "bypassPermissions", allowDangerouslySkipPermissions: true } as const

it.each<[name: string, template: string, options: SessionOptions, expected: string | RegExp]>([
  ["that only reads runs unasked", "a !`echo hi` b", {}, "a hi b"],
  ["with arguments", "!`echo [$2]`", {}, "[two]"],
  ["that prints nothing", "a !`true` b", {}, "a  b"],
  ["that prints to both streams", "!`echo out; echo err >&2`", BYPASS, "out\nerr"],
  ["that fails", "a !`cat missing.txt` b", {}, /^a Error: Exit code 1\ncat: missing\.txt.* b$/s],
  ["several, each in its place", "!`echo 1` !`echo 2` !`echo 3`", {}, "1 2 3"],
  ["whose output looks like a script", "!`echo '!\\x60echo no\\x60 $1'`", BYPASS, /\$1|x60/],
  ["that a deny rule refuses", "!`rm x`", { ...BYPASS, disallowedTools: ["Bash(rm *)"] }, /^Error: .*rm x.*/],
  ["without the tool", "!`echo hi`", { disallowedTools: ["Bash"] }, "Error: No such tool available: Bash"],
  ["that no one may be asked about", "!`touch x`", { permission_prompts: "deny" }, /^Error: .*approval/],
  ["with effects in plan mode", "!`touch x`", { permissionMode: "plan", permission_prompts: "deny" }, /Error: /],
  [
    "with an edit in acceptEdits",
    "!`touch x`done",
    { permissionMode: "acceptEdits", permission_prompts: "deny" },
    "done",
  ],
  [
    "that an allow rule allows",
    "!`touch x`done",
    { allowedTools: ["Bash(touch:*)"], permission_prompts: "deny" },
    "done",
  ],
])("a script %s", async (_, template, options, expected) => {
  const { run, got } = await commanded(template, options)
  await run(" two")
  expect(got()).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected))
})

it("a script with effects is asked about like Bash, and runs once it is allowed", async () => {
  const { run, got, asks, answering, session, events } = await commanded("a !`echo x > made.txt; cat made.txt` b", {})
  answering({ behavior: "allow" })
  await run()
  expect(asks).toEqual([
    expect.objectContaining({ tool_name: "Bash", input: { command: "echo x > made.txt; cat made.txt" } }),
  ])
  expect(got()).toBe("a x b")
  expect(session.workspace.readText("/workspace/made.txt")).toBe("x\n")
  expect(hooksOf(events())).toEqual(expect.arrayContaining(["PreToolUse", "PermissionRequest", "PostToolUse"]))
  expect(payloadsOf(events(), "command:ran")).toHaveLength(1)
})

it("a denied one leaves an error in its place, and is one of the turn's denials", async () => {
  const { run, got, answering, result, session } = await commanded("a !`touch x` b")
  answering({ behavior: "deny", message: "Not now." })
  await run()
  expect(got()).toBe("a Error: Not now. b")
  expect(session.workspace.exists("/workspace/x")).toBe(false)
  expect(result()).toMatchObject({
    permission_denials: [{ tool_name: "Bash", tool_input: { command: "touch x" } }],
  })
})

it("hooks receive a script, and may deny it or change it", async () => {
  const denied = await commanded(
    "!`echo hi`",
    {},
    {
      PreToolUse: {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "deny",
          permissionDecisionReason: "no shell",
        },
      },
    },
  )
  await denied.run()
  expect(denied.got()).toBe("Error: PreToolUse:Bash hook error: no shell")
  const changed = await commanded(
    "!`echo hi`",
    {},
    {
      PreToolUse: {
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          updatedInput: { command: "echo ho" },
        },
      },
    },
  )
  await changed.run()
  expect(changed.got()).toBe("ho")
})

it("an answer that interrupts ends the turn, and the prompt never reaches the model", async () => {
  const { run, answering, result, script } = await commanded("!`touch x`")
  answering({ behavior: "deny", message: "Stop.", interrupt: true })
  await run()
  expect(result()).toMatchObject({ subtype: "error_during_execution" })
  expect(setting.messagesSent(script)).toEqual([])
})

it("a script waits for its answer in a parked turn, and the previous one is not run again", async () => {
  const options: SessionOptions = {
    permissionMode: "acceptEdits",
    settings: { permissions: { ask: ["Bash(touch:*)"] } },
  }
  const { session, harness, client, script, idle } = await commanded("!`echo 1 >> log.txt` !`touch asked` end", options)
  harness.detach(client, true)
  prompt(session, `/do ${script}`)
  await idle()
  expect(session.state).toBe("requires_action")
  harness.crash()
  const again = harness.boot()
  const [ask] = again.session.askStore.open
  if (ask === undefined) throw new Error("nothing is asked")
  again.session.asks.settle([ask], { by: "client", answer: { behavior: "allow" } })
  again.session.wake()
  await again.idle()
  expect(textOf(setting.messagesSent(script)[0]?.[0])).toMatch(/ end$/)
  expect(again.session.workspace.readText("/workspace/log.txt")).toBe("1\n")
  expect(again.session.workspace.exists("/workspace/asked")).toBe(true)
})

it("no effect of a script occurs twice, wherever the process dies", async () => {
  for (let after = 2, finished = false; !finished; after += 1) {
    const { session, harness, script, idle } = await commanded("!`echo 1 >> a.txt` !`echo 2 >> a.txt` end", BYPASS)
    harness.dieAfter = harness.transactions + after
    prompt(session, `/do ${script}`)
    await idle()
    finished = harness.transactions < harness.dieAfter
    harness.crash()
    const again = harness.boot()
    await again.idle()
    expect(again.session.workspace.readText("/workspace/a.txt"), `after ${after}`).toBe("1\n2\n")
    expect(payloadsOf(eventsOf(again.log), "command:expanded"), `after ${after}`).toHaveLength(1)
    expect(textOf(setting.messagesSent(script).at(-1)?.[0]), `after ${after}`).toMatch(/ end$/)
  }
})

const decided = (fields: Readonly<Record<string, unknown>>) => ({
  hookSpecificOutput: { hookEventName: "PreSkillShellCommand", ...fields },
})

it.each<[name: string, output: Readonly<Record<string, unknown>>, expected: string]>([
  ["deny", decided({ permissionDecision: "deny", permissionDecisionReason: "no shell" }), "no shell"],
  ["ask", decided({ permissionDecision: "ask", permissionDecisionReason: "who asks" }), "who asks"],
  ["defer", decided({ permissionDecision: "defer" }), "A hook blocked this without a reason."],
  ["block", { decision: "block", reason: "blocked" }, "blocked"],
  [
    "change",
    decided({ permissionDecision: "allow", updatedInput: { command: "echo ho" } }),
    "A hook changed the script, which is not possible here.",
  ],
])("a PreSkillShellCommand hook that answers with %s refuses the script", async (_, output, reason) => {
  const { run, got, events } = await commanded("!`echo hi` and !`echo ho`", {}, { PreSkillShellCommand: output })
  await run(" x")
  const refused = `Error: a hook refused this script: ${reason}`
  expect(got()).toBe(`${refused} and ${refused}`)
  expect(payloadsOf(events(), "command:ran")).toEqual([
    expect.objectContaining({ command: "echo hi", is_error: true, denied: true }),
    expect.objectContaining({ command: "echo ho", is_error: true, denied: true }),
  ])
  const fired = payloadsOf(events(), "hook:fired").filter(
    (payload) => payload["hook_event_name"] === "PreSkillShellCommand",
  )
  expect(fired.map(({ input }) => input)).toEqual([
    expect.objectContaining({
      tool_name: "Bash",
      tool_input: { command: "echo hi" },
      command_name: "do",
      command_source: "flagSettings",
      invoked_by: "user",
      permission_mode: "default",
    }),
    expect.objectContaining({ tool_input: { command: "echo ho" } }),
  ])
})

it("a PreSkillShellCommand hook receives the script as it would run, and may end the turn before it does", async () => {
  const updatedInput = { command: "touch ho" }
  const { run, events, result, session, script } = await commanded("!`touch hi`", BYPASS, {
    PreToolUse: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput } },
    PreSkillShellCommand: { continue: false, stopReason: "enough" },
  })
  await run()
  const fired = payloadsOf(events(), "hook:fired")
  const names = fired.map(({ hook_event_name: name }) => name)
  expect(names.filter((name) => name === "PreToolUse" || name === "PreSkillShellCommand")).toEqual([
    "PreToolUse",
    "PreSkillShellCommand",
  ])
  expect(fired.find(({ hook_event_name: name }) => name === "PreSkillShellCommand")?.["input"]).toMatchObject({
    tool_input: updatedInput,
  })
  expect(["hi", "ho"].filter((name) => session.workspace.exists(`/workspace/${name}`))).toEqual([])
  expect(setting.messagesSent(script)).toEqual([])
  expect(result()).toMatchObject({ subtype: "success", terminal_reason: "hook_stopped" })
})
