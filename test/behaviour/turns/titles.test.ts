// generate_session_title: the model request, the use of its answer, and its cost.
import { describe, expect, it } from "vitest"
import { eventsOf } from "../../support/session/session-harness.ts"
import { loop, payloadsOf } from "../../support/session/loop.ts"
import { promptFor, textAnswer } from "../../support/session/scripts.ts"

const made = loop()
const { connected, scripted } = made

const titled = (answer: object) => scripted({ turns: [], side: answer } as unknown as Parameters<typeof scripted>[0])
const asked = (script: string) => made.api.log.filter((entry) => entry.script === script).map(({ body }) => body)

describe("generate_session_title", () => {
  it("is made of the description, by a small model and without the conversation", async () => {
    const { client, log, session } = await connected()
    const script = titled(textAnswer("Greeting things"))
    const answer = await client.request("generate_session_title", { description: `${promptFor(script)} hello` })
    expect(answer).toMatchObject({ subtype: "success", response: { title: "Greeting things" } })
    expect(asked(script)).toMatchObject([{ model: expect.stringContaining("haiku"), stream: false }])
    expect(JSON.stringify(asked(script))).toContain("hello")
    expect(session.record.title).toBeNull()
    expect(session.memory.transcript.messages()).toEqual([])
    const [paid] = payloadsOf(eventsOf(log), "call:finished")
    expect(paid?.["usd"]).toBeGreaterThan(0)
    expect(session.cost().total_cost_usd).toBe(paid?.["usd"])
  })

  it("becomes the session's title when it should persist", async () => {
    const { client, session } = await connected()
    const script = titled(textAnswer("Greeting things"))
    await client.request("generate_session_title", { description: promptFor(script), persist: true })
    expect(session.record.title).toBe("Greeting things")
  })

  it("is null when the model fails, and nothing changes", async () => {
    const { client, session, log } = await connected()
    const script = titled({ error: { status: 500, type: "api_error", message: "no" } })
    const answer = await client.request("generate_session_title", { description: promptFor(script), persist: true })
    expect(answer).toMatchObject({ subtype: "success", response: { title: null } })
    expect(session.record.title).toBeNull()
    expect(payloadsOf(eventsOf(log), "call:finished")).toEqual([])
  })

  it("is requested from the session's own model when there is no small one", async () => {
    const { client } = await connected({}, { model: "claude-sonnet-4-5" })
    const script = scripted({
      turns: [],
      allowNoTools: true,
      byModel: {
        "claude-haiku-5-5": { error: { status: 404, type: "not_found_error", message: "model: haiku" } },
        "claude-sonnet-4-5": textAnswer("Own words"),
      },
    } as unknown as Parameters<typeof scripted>[0])
    const answer = await client.request("generate_session_title", { description: promptFor(script) })
    expect(answer).toMatchObject({ response: { title: "Own words" } })
    expect(asked(script)).toHaveLength(2)
  })

  it("is not requested when the session's budget is spent", async () => {
    const { client } = await connected({}, { maxBudgetUsd: 0.000001 })
    const script = titled(textAnswer("First"))
    await client.request("generate_session_title", { description: promptFor(script) })
    const answer = await client.request("generate_session_title", { description: promptFor(script) })
    expect(answer).toMatchObject({ response: { title: null } })
    expect(asked(script)).toHaveLength(1)
  })
})
