// Prompts that call a command whose template becomes the prompt.
import { expect, it } from "vitest"
import type { CommandDefinition } from "../../../src/schemas/sdk/options/commands.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { DONE, hooksOf, loop, payloadsOf, textOf, type Turns, until } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import type { HookTable } from "../../support/session/session-client.ts"
import { user } from "../prompts/busy-sessions.ts"

const setting = loop()

const GREET: CommandDefinition = {
  name: "greet",
  template: "[[script:$1]] Say hello to $2. All: $ARGUMENTS",
  description: "Greets.",
}

interface Setting extends Omit<SessionOptions, "hooks"> {
  readonly turns?: Turns
  readonly hooks?: HookTable
}

const commanded = async (template: string, { turns = [DONE], hooks = {}, ...options }: Setting = {}) => {
  const opened = await setting.connected(hooks, { commands: [{ name: "do", template }], ...options })
  const script = setting.scripted(turns)
  const run = async (args = "", name = "do") => {
    const turn = prompt(opened.session, `/${name} ${script} ${args}`)
    await opened.idle()
    expect(problemsOf(events(), [turn])).toEqual([])
    return turn
  }
  const events = () => eventsOf(opened.log)
  const result = () => events().findLast(({ name }) => name.startsWith("sdk:result"))?.payload
  return { ...opened, script, run, events, result, sent: () => setting.messagesSent(script) }
}

it("a command's template is sent to the model, with its arguments", async () => {
  const { run, sent, events } = await commanded("unused", { commands: [GREET] })
  await run('"Bob B" x', "greet")
  expect(sent()).toHaveLength(1)
  const [message] = sent()[0] ?? []
  expect(textOf(message)).toMatch(/^\[\[script:\S+\]\] Say hello to "Bob B"\. All: \S+ "Bob B" x$/)
  expect(payloadsOf(events(), "turn:queued")[0]?.["prompt"]).toMatch(/^\/greet /)
})

it("a prompt of blocks calls a command with its last text, and the other blocks stay before it", async () => {
  const opened = await setting.connected({}, { commands: [GREET] })
  const script = setting.scripted([DONE])
  const blocks = [
    { type: "text", text: "first" },
    { type: "text", text: `/greet ${script} Bob` },
  ]
  opened.client.send({ type: "user", message: { role: "user", content: blocks }, parent_tool_use_id: null })
  await until(() => setting.messagesSent(script).length === 1)
  await opened.idle()
  const [message] = setting.messagesSent(script)[0] ?? []
  expect(message?.content.map(({ text }) => text)).toEqual(["first", expect.stringContaining("Say hello to Bob.")])
})

it.each(["Look at the build.", "Look at !`echo the build`."])(
  "a prompt that requests no answer is expanded, too, and sent with the next prompt: %s",
  async (template) => {
    const { client, run, events, sent, idle, log } = await commanded("next", {
      hooks: { UserPromptSubmit: {}, UserPromptExpansion: {} },
      commands: [
        { name: "look", template },
        { name: "do", template: "[[script:$1]] next" },
      ],
      allowedTools: ["Bash"],
    })
    client.send(user("/look", { shouldQuery: false }))
    await until(() => payloadsOf(eventsOf(log), "sdk:result/success").length === 1)
    await idle()
    expect(payloadsOf(events(), "sdk:result/success")).toMatchObject([{ num_turns: 0, result: "" }])
    expect(client.called.map(({ input }) => input["hook_event_name"])).toEqual(["UserPromptExpansion"])
    await run()
    expect(textOf(sent()[0]?.[0])).toMatch(/^Look at the build\.\n\[\[script:.* next$/)
  },
)

it("a hook blocks the command of a prompt that requests no answer", async () => {
  const { client, run, sent, idle, log } = await commanded("[[script:$1]] next", {
    hooks: {
      UserPromptExpansion: ({ command_args: args }) => (args === "it" ? { decision: "block", reason: "not now" } : {}),
    },
  })
  client.send(user("/do it", { shouldQuery: false }))
  await until(() => payloadsOf(eventsOf(log), "sdk:result/success").length === 1)
  await idle()
  expect(payloadsOf(eventsOf(log), "sdk:result/success")).toMatchObject([
    { num_turns: 0, result: expect.stringContaining("not now") },
  ])
  await run()
  expect(sent()[0]?.map(textOf).join("\n")).toMatch(/^\[\[script:\S+\]\] next$/)
})

it("a prompt that calls no command is sent to the model unchanged", async () => {
  const { session, idle, script, sent } = await commanded("unused")
  prompt(session, `/nosuch [[script:${script}]]`)
  await idle()
  expect(textOf(sent()[0]?.[0])).toBe(`/nosuch [[script:${script}]]`)
})

it("a command's model applies only to its turn", async () => {
  const { session, idle, run, script, events } = await commanded("unused", {
    commands: [{ name: "small", template: "[[script:$1]]", model: "haiku" }],
    model: "claude-sonnet-4-5",
  })
  await run("", "small")
  prompt(session, promptFor(script))
  await idle()
  const models = setting.api.log.map(({ body }) => body.model)
  expect(models).toEqual([expect.stringContaining("haiku"), "claude-sonnet-4-5"])
  expect(payloadsOf(events(), "sdk:system/init").map(({ model }) => model)).toEqual(models)
})

it("UserPromptExpansion hooks fire after UserPromptSubmit hooks, and may add a context", async () => {
  const seen: Array<unknown> = []
  const output = { hookEventName: "UserPromptExpansion", additionalContext: "The user is in a hurry." }
  const { run, sent, events } = await commanded("[[script:$1]]", {
    hooks: {
      UserPromptExpansion: (input) => {
        seen.push(input)
        return { hookSpecificOutput: output }
      },
    },
  })
  await run("a b")
  expect(hooksOf(events()).filter((name) => name.startsWith("UserPrompt"))).toEqual([
    "UserPromptSubmit",
    "UserPromptExpansion",
  ])
  expect(seen).toEqual([
    expect.objectContaining({
      expansion_type: "slash_command",
      command_name: "do",
      command_args: expect.stringMatching(/ a b$/),
      command_source: "flagSettings",
      prompt: expect.stringMatching(/^\/do .* a b$/),
    }),
  ])
  expect(textOf(sent()[0]?.[0])).toContain("The user is in a hurry.")
})

it("a UserPromptExpansion hook that blocks ends the turn before any model request", async () => {
  const { run, sent, result } = await commanded("[[script:$1]]", {
    hooks: { UserPromptExpansion: { decision: "block", reason: "not this one" } },
  })
  await run()
  expect(sent()).toEqual([])
  expect(result()).toMatchObject({ subtype: "success", num_turns: 0, result: expect.stringContaining("not this one") })
})

it("a UserPromptExpansion hook that stops leaves the reason instead of the prompt", async () => {
  const { run, sent, result, session, script, idle, events } = await commanded("[[script:$1]]", {
    hooks: { UserPromptExpansion: { continue: false, stopReason: "wait" } },
  })
  await run()
  const stopped = "A UserPromptExpansion hook stopped the turn: wait"
  expect(sent()).toEqual([])
  expect(result()).toMatchObject({ subtype: "success", num_turns: 0, result: stopped })
  expect(payloadsOf(events(), "sdk:system/informational")).toMatchObject([
    { content: stopped, prompt_submit_outcome: { kind: "stopped_by_hook", prompt_kept: false } },
  ])
  prompt(session, promptFor(script))
  await idle()
  expect(textOf(sent()[0]?.[0])).toBe(`${stopped}\n${promptFor(script)}`)
})

it("a command that names an unknown agent says so", async () => {
  const { run, sent, result } = await commanded("unused", {
    commands: [{ name: "with", template: "[[script:$1]]", agent: "nobody" }],
  })
  await run("", "with")
  expect(sent()).toEqual([])
  expect(result()).toMatchObject({ num_turns: 0, result: expect.stringContaining("nobody") })
})

it("a command does not join a running turn", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const guard = async () => {
    await held
    return {}
  }
  const { session, client, idle, script, sent } = await commanded("[[script:$1]] expanded", {
    hooks: { PreToolUse: guard },
    permissionMode: "bypassPermissions",
    turns: [{ content: [call("Glob", { pattern: "*" })] }, DONE],
  })
  prompt(session, promptFor(script))
  await until(() => client.called.some(({ callbackId }) => callbackId === "PreToolUse"))
  const other = setting.scripted([DONE])
  client.send({
    type: "user",
    message: { role: "user", content: [{ type: "text", text: `/do ${other}` }] },
    parent_tool_use_id: null,
  })
  release()
  await until(() => setting.messagesSent(other).length === 1)
  await idle()
  expect(sent()).toHaveLength(2)
  expect(textOf(setting.messagesSent(other)[0]?.at(-1))).toBe(`[[script:${other}]] expanded`)
})

it("a turn that was interrupted continues with the expanded command", async () => {
  const { session, harness, script } = await commanded("[[script:$1]] the first text")
  harness.dieAfter = harness.transactions + 2
  prompt(session, `/do ${script}`)
  await until(() => harness.transactions >= harness.dieAfter)
  harness.crash()
  const again = harness.boot()
  await again.idle()
  const sent = setting.messagesSent(script)
  expect(textOf(sent.at(-1)?.[0])).toBe(`[[script:${script}]] the first text`)
  expect(payloadsOf(eventsOf(again.log), "command:invoked")).toHaveLength(1)
})
