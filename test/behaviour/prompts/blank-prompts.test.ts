// Prompts that are only white space: as in the official SDK, a text is answered without the model, and other prompts are not
// affected.
import { expect, it } from "vitest"
import { lifecycleOf, user } from "./busy-sessions.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { DONE, hooksOf, loop, namesOf, payloadsOf, textOf, until } from "../../support/session/loop.ts"
import { eventsOf, problemsOf } from "../../support/session/session-harness.ts"

const { connected, scripted, messagesSent } = loop()

const results = (log: Parameters<typeof eventsOf>[0]) =>
  payloadsOf(eventsOf(log), "sdk:result/success").map(({ result, num_turns: turns }) => [result, turns])

it("a blank text makes no model request, and notifies clients", async () => {
  const { client, idle, log } = await connected({ UserPromptSubmit: {} })
  const script = scripted([DONE, DONE])
  const uuid = crypto.randomUUID()
  client.send(user(promptFor(script)))
  await until(() => results(log).length === 1)
  client.send(user(" \n ", { uuid }))
  await until(() => results(log).length === 2)
  client.send(user("go on"))
  await until(() => results(log).length === 3)
  await idle()
  expect(results(log)).toEqual([
    ["Done.", 1],
    [expect.stringContaining("blank"), 0],
    ["Done.", 1],
  ])
  const own = eventsOf(log).filter(({ turn }) => turn === uuid)
  expect(payloadsOf(own, "sdk:system/informational")).toMatchObject([{ level: "warning" }])
  expect(hooksOf(own)).toEqual([])
  expect(problemsOf(eventsOf(log), [uuid])).toEqual([])
  expect(lifecycleOf(own, uuid)).toEqual(["queued", "started", "completed"])
  expect(messagesSent(script)).toHaveLength(2)
  expect(messagesSent(script)[1]?.map(textOf).at(-1)).toContain("go on")
})

it("an empty text and a blank block are prompts, as in the official SDK", async () => {
  const { client, idle, log } = await connected()
  const script = scripted([DONE, DONE, DONE])
  client.send(user(promptFor(script)))
  await until(() => results(log).length === 1)
  client.send(user(""))
  await until(() => results(log).length === 2)
  client.send(user([{ type: "text", text: "  " }]))
  await until(() => results(log).length === 3)
  await idle()
  expect(messagesSent(script).map((messages) => messages.at(-1)?.role)).toEqual(["user", "user", "user"])
})

it("a prompt that is queued after a blank one is answered", async () => {
  const { client, idle, log } = await connected()
  const script = scripted([DONE])
  client.send(user("  "))
  client.send(user(promptFor(script)))
  await until(() => results(log).length === 2)
  await idle()
  expect(results(log)[1]).toEqual(["Done.", 1])
})

it("a prompt is reported as started before the init of its turn", async () => {
  const { client, idle, log } = await connected()
  client.send(user(promptFor(scripted([DONE])), { uuid: crypto.randomUUID() }))
  await until(() => results(log).length === 1)
  await idle()
  const names = namesOf(eventsOf(log)).filter((name) => /lifecycle|init|result/.test(name))
  expect(names).toEqual([
    "sdk:command_lifecycle",
    "sdk:command_lifecycle",
    "sdk:system/init",
    "sdk:result/success",
    "sdk:command_lifecycle",
  ])
})
