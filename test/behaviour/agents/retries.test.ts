// Model requests of subagents that are retried or fail: what clients are sent, what is stored, and the call's result.
import { expect, it } from "vitest"
import { BYPASS, DONE, loop, namesOf, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"

const { finish, scripted } = loop()

const OPTIONS = { ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } }
const HOOKS = { PostToolUse: {}, PostToolUseFailure: {} }
const BUSY = { error: { status: 529, type: "overloaded_error", message: "busy" } }
const delegate = (name: string) =>
  call("Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: promptFor(name),
    run_in_background: false,
  })

it("a retry is sent as the progress of the agent's call, and so is its end, as recorded", async () => {
  const use = delegate(scripted([[BUSY, textAnswer("Report.")]]))
  const { client, events } = await finish([{ content: [use] }, DONE], {}, OPTIONS)
  const [started] = payloadsOf(events(), "sdk:system/task_started")
  const progress = {
    tool_name: "Agent",
    parent_tool_use_id: use.id,
    elapsed_time_seconds: 0,
    subagent_type: "helper",
  }
  const sent = client.frames.filter(({ type }) => type === "tool_progress")
  expect(sent).toMatchObject([
    {
      ...progress,
      subagent_retry: {
        agent_id: started?.["task_id"],
        attempt: 1,
        max_retries: 10,
        retry_delay_ms: expect.any(Number),
        error_status: 529,
        error_category: "overloaded",
      },
    },
    progress,
  ])
  expect(sent[1]).not.toHaveProperty("subagent_retry")
  expect(namesOf(events())).not.toContain("sdk:tool_progress")
  expect(client.frames.filter(({ subtype }) => subtype === "api_retry")).toEqual([])
})

it("an agent without retries sends no progress of its requests", async () => {
  const { client } = await finish([{ content: [delegate(scripted([textAnswer("Report.")]))] }, DONE], {}, OPTIONS)
  expect(client.frames.filter(({ type }) => type === "tool_progress")).toEqual([])
})

// As the official SDK.
it.each([
  ["an error that passes returns what the agent has written", "Found it.", 529, false],
  ["an error that passes is the call's result if the agent has written nothing", null, 529, true],
  ["an error that stays is the call's result", "Found it.", 402, true],
] as const)("after a tool, %s", async (_, text, status, isError) => {
  const list = call("Glob", { pattern: "*" })
  const begin = { content: text === null ? [list] : [{ type: "text", text }, list] }
  const failing = { error: { status, type: status === 529 ? "overloaded_error" : "billing_error", message: "not now" } }
  const use = delegate(scripted([begin, failing]))
  const { client, events, result } = await finish([{ content: [use] }, DONE], HOOKS, { ...OPTIONS, max_retries: 0 })
  const called = client.called.map(({ callbackId, input }) => [callbackId, input["tool_name"]])
  expect(called).toContainEqual([isError ? "PostToolUseFailure" : "PostToolUse", "Agent"])
  const shown = JSON.stringify(toolResultsOf(events()).at(-1))
  expect(shown).toContain("not now")
  expect(shown.includes("Found it.")).toBe(!isError)
  expect(payloadsOf(events(), "sdk:system/task_notification")).toMatchObject([{ status: "failed" }])
  expect(result()).toMatchObject({ subtype: "success", is_error: false })
})
