// Calls with parameters that their tool does not have, as models write them at times.
import { expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { BYPASS, DONE, loop, toolResultsOf, until } from "../../support/session/loop.ts"

const { finish, start } = loop()

it.each([
  ["TaskCreate", { subject: "s", description: "d" }],
  ["SendMessage", { to: "a1", message: "m" }],
  ["Agent", { description: "d", prompt: "p", subagent_type: "none" }],
])("%s ignores a parameter that it does not have", async (name, input) => {
  const { client, events } = await finish(
    [{ content: [call(name, { ...input, zzz: 1 })] }, DONE],
    { PreToolUse: {} },
    BYPASS,
  )
  expect(toolResultsOf(events())[0]).not.toMatchObject({ content: expect.stringContaining("InputValidationError") })
  for (const { input: seen } of client.called) expect(seen).toMatchObject({ tool_input: input })
  expect(client.called.map(({ input: seen }) => Object.keys(seen["tool_input"] ?? {})).flat()).not.toContain("zzz")
})

it("Bash refuses a parameter that it does not have", async () => {
  const { events } = await finish([{ content: [call("Bash", { command: "ls", zzz: 1 })] }, DONE], {}, BYPASS)
  expect(toolResultsOf(events())).toMatchObject([{ content: expect.stringContaining("`zzz`"), is_error: true }])
})

it("PostToolUse hooks see further fields of the input with which a user allowed the call, and the tool does not", async () => {
  const { client, events, idle } = await start(
    [{ content: [call("Bash", { command: "touch a" })] }, DONE],
    { PreToolUse: {}, PostToolUse: {} },
    {},
  )
  await until(() => client.asked("can_use_tool").length === 1)
  const updatedInput = { command: "echo b", approved_by: { name: "Ann" } }
  client.answer(client.asked("can_use_tool")[0]!.id, { behavior: "allow", updatedInput })
  await idle()
  expect(client.called.map(({ input }) => input["tool_input"])).toEqual([{ command: "touch a" }, updatedInput])
  expect(toolResultsOf(events())).toMatchObject([{ content: "b" }])
})
