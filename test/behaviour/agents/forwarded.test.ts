// What clients are sent of an agent besides its calls: texts of the loop, errors of the model, and the list of running tasks.
import { describe, expect, it } from "vitest"
import { BYPASS, DONE, loop, namesOf, payloadsOf, type Turns, until } from "../../support/session/loop.ts"
import { call, promptFor, text, textAnswer } from "../../support/session/scripts.ts"
import type { HookTable } from "../../support/session/session-client.ts"

const loops = loop()
const { scripted, start } = loops

const calls = (...uses: ReadonlyArray<ReturnType<typeof call>>) => ({ content: uses })
const bash = (command: string) => call("Bash", { command, description: "d" })
const OPTIONS = { ...BYPASS, agents: { helper: { description: "Helps.", prompt: "You are a helper." } } }
const delegate = (name: string, background: boolean) =>
  call("Agent", {
    description: "help me",
    subagent_type: "helper",
    prompt: promptFor(name),
    run_in_background: background,
  })

interface Way {
  readonly background: boolean
  readonly forwards: boolean
}
const FORWARDED: ReadonlyArray<Way> = [
  { background: false, forwards: true },
  { background: true, forwards: false },
  { background: true, forwards: true },
]
const WITHHELD: Way = { background: false, forwards: false }

/** What clients were sent of the agent's conversation: the types of messages without calls and results, and their texts. */
const conversation = async ({ background, forwards }: Way, sub: Turns, hooks: HookTable = {}) => {
  const use = delegate(scripted(sub), background)
  const { events, idle } = await start([calls(use), textAnswer("Launched."), DONE], hooks, {
    ...OPTIONS,
    forwardSubagentText: forwards,
  })
  await until(() => namesOf(events()).includes("sdk:system/task_notification"))
  await idle()
  return events()
    .filter(({ name, parent_tool_use_id: parent }) => parent === use.id && /^sdk:(user|assistant)$/.test(name))
    .map(({ payload }) => payload as Record<string, unknown> & { readonly message: { readonly content: unknown } })
}

type Sent = Awaited<ReturnType<typeof conversation>>

const synthetic = (sent: Sent) => sent.filter(({ isSynthetic }) => isSynthetic === true)

describe("a text of the loop to an agent", () => {
  const blocked: HookTable = {
    SubagentStop: (input) => (input["stop_hook_active"] === true ? {} : { decision: "block", reason: "Go on." }),
  }
  const cut = [{ ...textAnswer("Half of"), stop_reason: "max_tokens" }, textAnswer("the rest.")]

  it.each(FORWARDED)("is sent between its texts ($background, $forwards)", async (way) => {
    const sent = await conversation(way, [textAnswer("First."), textAnswer("Second.")], blocked)
    expect(synthetic(sent)).toMatchObject([
      {
        message: { content: [{ type: "text", text: "Stop hook feedback:\nGo on." }] },
        subagent_type: "helper",
        task_description: "help me",
        agent_id: expect.any(String),
      },
    ])
    const index = sent.findIndex(({ isSynthetic }) => isSynthetic === true)
    expect(sent.slice(index - 1, index + 2).map(({ type }) => type)).toEqual(["assistant", "user", "assistant"])
    expect(synthetic(await conversation(way, cut))).toHaveLength(1)
  })

  it("is withheld with its texts", async () => {
    expect(synthetic(await conversation(WITHHELD, [textAnswer("First."), textAnswer("Second.")], blocked))).toEqual([])
    expect(synthetic(await conversation(WITHHELD, cut))).toEqual([])
  })
})

describe("an error of an agent's model", () => {
  const refused: Turns = [{ ...textAnswer("No."), stop_reason: "refusal" }]
  const errors = (sent: Sent) => sent.flatMap(({ error }) => error ?? [])

  it.each(FORWARDED)("is sent like its texts ($background, $forwards)", async (way) => {
    expect(errors(await conversation(way, refused))).toEqual(["invalid_request"])
  })

  it("is withheld with its texts", async () => {
    expect(errors(await conversation(WITHHELD, refused))).toEqual([])
  })
})

it("the messages of a background agent that an agent started are sent, unless an agent waits for them", async () => {
  const inner = (background: boolean) =>
    delegate(scripted([{ content: [text("Looking."), bash("echo one")] }, textAnswer("Inner.")]), background)
  const uses = [inner(true), inner(false)] as const
  const outer = delegate(scripted([calls(uses[0]), calls(uses[1]), textAnswer("Outer.")]), false)
  const { events, idle } = await start([calls(outer), DONE, DONE], {}, OPTIONS)
  await until(() => payloadsOf(events(), "sdk:system/task_notification").length === 3)
  await idle()
  const typesOf = ({ id }: { readonly id: unknown }) =>
    [...payloadsOf(events(), "sdk:user"), ...payloadsOf(events(), "sdk:assistant")]
      .filter((message) => message["parent_tool_use_id"] === id)
      .map(({ type }) => type)
  expect(typesOf(uses[0])).toEqual(["user", "assistant", "assistant", "assistant"])
  expect(typesOf(uses[1])).toEqual([])
})

it("a background agent is listed with the agent that started it, and again without it when that one ends", async () => {
  const script = scripted([{ ...textAnswer("Inner."), hold: {} }])
  const inner = delegate(script, true)
  const outer = delegate(scripted([calls(inner), textAnswer("Outer.")]), false)
  const { events, idle } = await start([calls(outer), DONE, DONE], {}, OPTIONS)
  await until(() => namesOf(events()).includes("sdk:result/success"))
  loops.api.release(`${script}#0`)
  await until(() => payloadsOf(events(), "sdk:system/task_notification").length === 2)
  await idle()
  const started = payloadsOf(events(), "sdk:system/task_started").map(({ task_id: id }) => id)
  const lists = payloadsOf(events(), "sdk:system/background_tasks_changed").map(({ tasks }) => tasks)
  expect(lists).toEqual([
    [expect.objectContaining({ task_id: started[1], parent_task_id: started[0] })],
    [expect.not.objectContaining({ parent_task_id: expect.anything() })],
    [],
  ])
})
