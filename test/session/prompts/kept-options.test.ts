import { expect, it } from "vitest"
import { BYPASS, DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { keptOptions } from "../../../src/session/prompts/kept-options.ts"

const setting = loop()
const { connected, scripted } = setting

it.each([
  ["keeps what it has", { model: "haiku", systemPrompt: "One." }, {}, { model: "haiku", systemPrompt: "One." }],
  [
    "has what is named",
    { model: "haiku", systemPrompt: "One." },
    { model: "opus", systemPrompt: "Two." },
    { model: "opus", systemPrompt: "Two." },
  ],
  [
    "keeps the model of its settings",
    { settings: { model: "haiku" } },
    { settings: { model: "opus" } },
    { model: "haiku" },
  ],
  ["stays with the defaults", {}, {}, {}],
] as const)("a conversation that is taken up %s", (_, before, given, held) => {
  expect(keptOptions(before, given)).toEqual(held)
})

it("a client that resumes a session and sets no model and no system prompt keeps the session's", async () => {
  const options = { ...BYPASS, model: "claude-opus-4-6", systemPrompt: "You are one.", maxTurns: 5 }
  const { client, session, idle, log } = await connected({}, options)
  const script = scripted([DONE, DONE])
  prompt(session, promptFor(script))
  await idle()
  expect(session.resumption.resume({ options: BYPASS })).toBeUndefined()
  await client.initialize({ systemPrompt: [""] })
  prompt(session, "again")
  await idle()
  const sent = setting.api.log.filter((entry) => entry.script === script).map(({ body }) => body)
  expect(sent.map(({ model }) => model)).toEqual(["claude-opus-4-6", "claude-opus-4-6"])
  expect(JSON.stringify(sent[1]?.system)).toContain("You are one.")
  expect(payloadsOf(eventsOf(log), "sdk:system/init").at(-1)).toMatchObject({ model: "claude-opus-4-6" })
  expect(session.record.options).not.toHaveProperty("maxTurns")
})
