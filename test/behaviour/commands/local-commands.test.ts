// Commands that the session answers itself.
import { expect, it } from "vitest"
import { DONE, hooksOf, loop, payloadsOf, textOf, until } from "../../support/session/loop.ts"
import { user } from "../prompts/busy-sessions.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const setting = loop()

const answered = async (command: string) => {
  const opened = await setting.connected(
    {},
    { commands: [{ name: "greet", template: "Hello", description: "Greets." }] },
  )
  const script = setting.scripted([DONE])
  const turns = [prompt(opened.session, promptFor(script)), prompt(opened.session, command)]
  turns.push(prompt(opened.session, promptFor(script)))
  await opened.idle()
  const events = eventsOf(opened.log)
  expect(problemsOf(events, turns)).toEqual([])
  const own = events.filter(({ turn }) => turn === turns[1])
  return { own, result: payloadsOf(own, "sdk:result/success")[0], sent: setting.messagesSent(script) }
}

it.each([
  ["/context", "context", "Context Usage"],
  ["/cost", "cost", "Cost: $"],
  ["/usage", "cost", "Cost: $"],
  ["/stats", "cost", "Cost: $"],
  ["/help", "help", "/greet: Greets."],
])("%s is answered without the model, and leaves nothing in the conversation", async (command, name, text) => {
  const { own, result, sent } = await answered(command)
  expect(result).toMatchObject({
    num_turns: 0,
    is_error: false,
    local_command: name,
    result: expect.stringContaining(text),
  })
  expect(result).not.toHaveProperty("terminal_reason")
  const [message] = payloadsOf(own, "sdk:assistant")
  expect(message).toMatchObject({
    message: { model: "<synthetic>", content: [{ type: "text", text: result?.["result"] }] },
    local_command_source: `<local-command-stdout>${String(result?.["result"])}</local-command-stdout>`,
    local_command_run: { command: name, args: command.split(" ")[1] ?? "" },
  })
  expect(hooksOf(own)).toEqual([])
  expect(sent).toHaveLength(2)
  expect(sent[1]?.map(textOf).join("\n")).not.toContain(command)
})

it.each(["/status", "/config model=haiku", "/exit"])(
  "%s, a command of the official SDK's terminal, is answered without the model",
  async (command) => {
    const { own, result, sent } = await answered(command)
    const name = command.split(" ")[0]
    const answer = expect.stringContaining(`${name} is not available in this session.`)
    expect(result).toMatchObject({ num_turns: 0, is_error: false, result: answer })
    expect(result).not.toHaveProperty("local_command")
    expect(payloadsOf(own, "sdk:assistant")).toMatchObject([
      {
        message: { model: "<synthetic>", content: [{ type: "text", text: answer }] },
        local_command_source: `<local-command-stdout>${String(result?.["result"])}</local-command-stdout>`,
        local_command_outcome: { kind: "unavailable_headless" },
      },
    ])
    expect(hooksOf(own)).toEqual([])
    expect(payloadsOf(own, "sdk:system/init")[0]?.["slash_commands"]).not.toContain(name?.slice(1))
    expect(sent).toHaveLength(2)
  },
)

it.each([
  ["/cost", "Cost: $"],
  ["/model haiku", "claude-haiku"],
  ["/config model=haiku", "/config is not available"],
  ["/clear", ""],
])("%s runs also as a prompt that requests no answer", async (command, text) => {
  const { client, session, idle, log } = await setting.connected({})
  const script = setting.scripted([DONE])
  client.send(user(command, { shouldQuery: false }))
  await until(() => payloadsOf(eventsOf(log), "sdk:result/success").length === 1)
  await idle()
  prompt(session, promptFor(script))
  await idle()
  const [result] = payloadsOf(eventsOf(log), "sdk:result/success")
  expect(result).toMatchObject({ num_turns: 0, result: expect.stringContaining(text) })
  expect(payloadsOf(eventsOf(log), "command:invoked")).toHaveLength(1)
  expect(setting.messagesSent(script)[0]?.map(textOf).join("\n")).not.toContain(command)
})

it("a command of the session may have the name of one that needs a terminal", async () => {
  const { session, idle, log } = await setting.connected(
    {},
    { commands: [{ name: "status", template: "How is it going?" }] },
  )
  prompt(session, "/status")
  await idle()
  const events = eventsOf(log)
  expect(payloadsOf(events, "sdk:system/init")[0]?.["slash_commands"]).toContain("status")
  expect(payloadsOf(events, "command:invoked")).toMatchObject([{ name: "status", source: "options" }])
  expect(payloadsOf(events, "sdk:result/success")[0]).toMatchObject({ num_turns: 1 })
})

it("a crash between a command's answer and its result does not repeat the command", async () => {
  const harness = setting.harnessOf()
  const { session } = harness.boot()
  harness.dieAfter = harness.transactions + 2
  prompt(session, "/help")
  while (harness.transactions < harness.dieAfter) await new Promise((resolve) => setImmediate(resolve))
  harness.crash()
  const again = harness.boot()
  await again.idle()
  const events = eventsOf(again.log)
  expect(payloadsOf(events, "sdk:assistant")).toHaveLength(1)
  expect(payloadsOf(events, "sdk:result/success")).toEqual([
    expect.objectContaining({ local_command: "help", result: expect.stringContaining("/context") }),
  ])
})

it("every session lists its commands", async () => {
  const opened = await setting.connected(
    {},
    { commands: [{ name: "greet", template: "Hello", description: "Greets." }] },
  )
  const answer = await opened.client.initialize()
  const listed = (answer as { readonly response: { readonly commands: ReadonlyArray<Record<string, unknown>> } })
    .response.commands
  expect(listed).toContainEqual({ name: "greet", description: "Greets.", argumentHint: "" })
  expect(listed.filter(({ builtin }) => builtin === true).map(({ name }) => name)).toEqual([
    "clear",
    "compact",
    "context",
    "cost",
    "help",
    "init",
    "review",
    "model",
    "effort",
    "rename",
  ])
  prompt(opened.session, "/help")
  await opened.idle()
  const [init] = payloadsOf(eventsOf(opened.log), "sdk:system/init")
  expect(init?.["slash_commands"]).toEqual(listed.map(({ name }) => name))
})
