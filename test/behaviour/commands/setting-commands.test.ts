// Commands that change the session: its model, effort and title.
import { expect, it } from "vitest"
import { DONE, loop, payloadsOf } from "../../support/session/loop.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"
import { ticketOf } from "../permissions/actors.ts"
import type { HookTable } from "../../support/session/session-client.ts"

const setting = loop()

/** A session that runs the command, and then a prompt. */
const after = async (command: string, hooks: HookTable = {}, manner?: Parameters<typeof prompt>[3]) => {
  const opened = await setting.connected(hooks, { model: "claude-opus-5-5" })
  const script = setting.scripted([DONE])
  const turns = [prompt(opened.session, command, {}, manner), prompt(opened.session, promptFor(script))]
  await opened.idle()
  const events = eventsOf(opened.log)
  expect(problemsOf(events, turns)).toEqual([])
  const [result] = payloadsOf(events, "sdk:result/success")
  const request = setting.api.log.find((entry) => entry.script === script)?.body as Record<string, unknown>
  return { ...opened, events, result, request }
}

it("/model changes the model from the next prompt on, and calls the hooks of the change", async () => {
  const { events, result, request, client } = await after("/model sonnet", { PreModelSwitch: {}, PostModelSwitch: {} })
  expect(result).toMatchObject({
    num_turns: 0,
    local_command: "model",
    result: expect.stringContaining("claude-sonnet"),
  })
  const [own, next] = payloadsOf(events, "sdk:system/init")
  expect(own).toMatchObject({ model: "claude-opus-5-5" })
  expect(request["model"]).toBe(next?.["model"])
  expect(next?.["model"]).toMatch(/^claude-sonnet/)
  const facts = { from_model: "claude-opus-5-5", requested_model: "sonnet", source: "command" }
  expect(client.called.map(({ callbackId, input }) => [callbackId, input])).toMatchObject([
    ["PreModelSwitch", facts],
    ["PostModelSwitch", facts],
  ])
  expect(payloadsOf(events, "sdk:user").filter(({ isReplay }) => isReplay === true)).toEqual([])
})

it("a PreModelSwitch hook that denies is the answer, and the model stays", async () => {
  const denied = { permissionDecision: "deny", permissionDecisionReason: "not that one" }
  const hook = { hookSpecificOutput: { hookEventName: "PreModelSwitch", ...denied } }
  const { result, request } = await after("/model sonnet", { PreModelSwitch: hook })
  expect(result).toMatchObject({ local_command: "model", result: "not that one" })
  expect(request["model"]).toBe("claude-opus-5-5")
})

it("/effort changes the effort of the next requests", async () => {
  const { result, request } = await after("/effort max")
  expect(result).toMatchObject({ num_turns: 0, local_command: "effort", result: expect.stringContaining("max") })
  expect(request["output_config"]).toMatchObject({ effort: "max" })
})

it("/effort auto removes it, and an unknown level is refused", async () => {
  const { session, idle, log } = await after("/effort max")
  prompt(session, "/effort auto")
  prompt(session, "/effort enormous")
  await idle()
  const [removed, refused] = payloadsOf(eventsOf(log), "sdk:result/success").slice(-2)
  expect(removed).toMatchObject({ result: expect.stringContaining("auto") })
  expect(refused).toMatchObject({ result: expect.stringContaining('"enormous" is unknown') })
  expect(session.info().options).not.toHaveProperty("effort")
})

it("/rename changes the title, which clients and hooks are sent", async () => {
  const { events, result, client } = await after("/rename  two words ", { UserPromptSubmit: {} })
  expect(result).toMatchObject({ num_turns: 0, local_command: "rename", result: expect.stringContaining("two words") })
  expect(payloadsOf(events, "sdk:system/session_title_changed")).toMatchObject([{ title: "two words" }])
  expect(client.called.map(({ input }) => input["session_title"])).toEqual(["two words"])
})

it.each([
  ["/model", "The model is claude-opus-5-5."],
  ["/effort", "The effort is auto."],
  ["/rename", "The title is none."],
])("%s without an argument changes nothing", async (command, text) => {
  const { events, result } = await after(command)
  expect(result).toMatchObject({ num_turns: 0, result: expect.stringContaining(text) })
  expect(payloadsOf(events, "session:changed")).toEqual([])
})

it("/model in a prompt of a ticket changes nothing", async () => {
  const { session, idle, log } = await setting.connected()
  const turn = crypto.randomUUID()
  session.prompts.submit({
    turn,
    prompt: "/model sonnet",
    onBusy: "queue",
    options: {},
    fingerprint: "",
    actor: ticketOf(["prompt"]),
  })
  await idle()
  const [result] = payloadsOf(eventsOf(log), "sdk:result/success")
  expect(result).toMatchObject({ result: "/model can't be called with a ticket." })
  expect(payloadsOf(eventsOf(log), "session:changed")).toEqual([])
})
