// A session is forked while an agent works in the background: the agent continues in the parent, and has ended in the copy.
import { expect, it } from "vitest"
import { problemsOfMessages, until } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"
import { forks } from "../sessions/forks.ts"

const made = forks()
const named = (log: Parameters<typeof eventsOf>[0], name: string) =>
  eventsOf(log).filter((event) => event.name === name)

it("the copy has its conversation without the agent, and can resume it", async () => {
  const sub = scriptName("forked-sub")
  const bash = call("Bash", { command: "echo once >> made.txt", description: "d" })
  made.api.set(sub, [{ content: [bash] }, { ...textAnswer("Report."), hold: {} }])
  const input = {
    description: "d",
    prompt: promptFor(sub),
    subagent_type: "Plan",
    run_in_background: true,
    name: "bob",
  }
  const parent = made.session()
  const script = scriptName("forked")
  made.api.set(script, [{ content: [call("Agent", input)] }, textAnswer("Begun."), textAnswer("Seen.")])
  prompt(parent.booted.session, promptFor(script))
  await until(() => made.api.log.some((entry) => entry.script === sub && entry.step === 1))
  await until(() => named(parent.booted.log, "sdk:result/success").length === 1)

  const child = await made.forked(parent.booted)
  expect(named(child.booted.log, "agent:ended").map(({ payload }) => payload)).toMatchObject([{ status: "stopped" }])
  expect(named(child.booted.log, "sdk:system/task_notification").map(({ payload }) => payload)).toMatchObject([
    { status: "stopped" },
  ])
  expect(child.booted.background.running()).toEqual([])
  const asked = () => made.api.log.filter((entry) => entry.script === sub).length
  expect(asked()).toBe(2)

  made.api.release(`${sub}#1`)
  await until(() => named(parent.booted.log, "sdk:result/success").length === 2)
  expect(named(parent.booted.log, "agent:ended").map(({ payload }) => payload)).toMatchObject([{ status: "completed" }])
  expect(asked()).toBe(2)

  // In the copy it continues from what it had done.
  const more = scriptName("forked-more")
  made.api.set(more, [textAnswer("Second report.")])
  const again = { description: "d", prompt: promptFor(more), resume: "bob", run_in_background: false }
  await made.run(child.booted, [{ content: [call("Agent", again)] }, textAnswer("Done.")])
  const request = made.api.log.find((entry) => entry.script === more)?.body as {
    readonly messages: Parameters<typeof problemsOfMessages>[0]
  }
  expect(problemsOfMessages(request.messages)).toEqual([])
  expect(JSON.stringify(request.messages)).toContain("echo once")
  expect(child.booted.workspace.readText("/workspace/made.txt")).toBe("once\n")
})
