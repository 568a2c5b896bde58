// SubagentStart hooks that fail. Those that do not respond in time stop the agent before its first request.
import { expect, it } from "vitest"
import { BYPASS, DONE, hooksOf, loop, payloadsOf, resultOf, textOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const { finish, harnessOf, messagesSent, scripted } = loop()

const OPTIONS = { ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } }

/** A session that starts an agent whose first SubagentStart hook never responds; the second one does. */
const started = async (background: boolean, more: ReadonlyArray<object>) => {
  const harness = harnessOf(OPTIONS)
  const opened = harness.boot()
  const client = harness.connect({ SubagentStart: [() => undefined, { systemMessage: "noted" }] })
  await client.initialize({
    hooks: {
      SubagentStart: [{ hookCallbackIds: ["SubagentStart"], timeout: 0.05 }, { hookCallbackIds: ["SubagentStart#2"] }],
    },
  })
  const sub = scripted([textAnswer("Sub result.")])
  const use = call("Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: promptFor(sub),
    run_in_background: background,
  })
  const script = scripted([{ content: [use] }, ...more])
  const turn = prompt(opened.session, promptFor(script))
  await opened.idle()
  const events = eventsOf(opened.log)
  expect(problemsOf(events, [turn])).toEqual([])
  expect(messagesSent(sub)).toEqual([])
  expect(payloadsOf(events, "sdk:system/task_updated")).toMatchObject([{ patch: { status: "killed" } }])
  expect(payloadsOf(events, "sdk:system/task_notification")).toMatchObject([{ status: "stopped", summary: "help me" }])
  expect(hooksOf(events)).not.toContain("SubagentStop")
  return { events, script, use }
}

it("in the foreground, its call is interrupted and the turn continues", async () => {
  const { events, use } = await started(false, [DONE])
  expect(toolResultsOf(events)).toMatchObject([{ tool_use_id: use.id, is_error: true }])
  const failed = payloadsOf(events, "hook:fired").find((fired) => fired["hook_event_name"] === "PostToolUseFailure")
  expect(failed?.["input"]).toMatchObject({ is_interrupt: true })
  expect(resultOf(events)).toMatchObject({ result: "Done.", is_error: false })
})

it("in the background, the model is notified of its end", async () => {
  const { events, script } = await started(true, [textAnswer("Launched."), textAnswer("It was stopped.")])
  expect(textOf(messagesSent(script).at(-1)?.at(-1))).toContain("<status>stopped</status>")
  expect(resultOf(events)).toMatchObject({ result: "It was stopped." })
})

it("that return an invalid output are reported after the agent's prompt", async () => {
  const task = promptFor(scripted([textAnswer("Sub result.")]))
  const use = call("Agent", { description: "d", subagent_type: "helper", prompt: task, run_in_background: false })
  const { events } = await finish([{ content: [use] }, DONE], { SubagentStart: { decision: "maybe" } }, OPTIONS)
  const shown = events().filter(({ name }) => name === "sdk:user" || name === "sdk:system/informational")
  expect(shown.map(({ name }) => name)).toEqual(["sdk:user", "sdk:system/informational", "sdk:user"])
})
