// Turns with a variant: what their requests contain, at whichever level of options it is set, and what clients read of it.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { DONE, loop, payloadsOf } from "../../support/session/loop.ts"

const made = loop()
const { finish, start, scripted } = made

const SONNET: SessionOptions = { model: "claude-sonnet-4-5" }

const requests = (script: string) => made.api.log.filter((entry) => entry.script === script).map(({ body }) => body)

const noticesOf = (events: Parameters<typeof payloadsOf>[0]) =>
  payloadsOf(events, "sdk:system/informational").map(({ content }) => content)

describe("a session with a variant", () => {
  it("thinks with its budget, and requests more tokens than that", async () => {
    const { script, events } = await finish([DONE], {}, { ...SONNET, variant: "low" })
    expect(requests(script)).toMatchObject([{ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 5000 } }])
    expect(noticesOf(events())).toEqual([])
  })

  it("on a model with less room thinks as much as possible, and notifies its clients once", async () => {
    const { session, idle, script, events } = await start([DONE], {}, { ...SONNET, variant: "high" })
    await idle()
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    expect(requests(script)).toMatchObject([{ thinking: { budget_tokens: 31_999 } }])
    expect(noticesOf(events())).toEqual([
      "The variant high requests 50000 tokens of thinking. claude-sonnet-4-5 allows at most 31999.",
    ])
  })

  it("has the effort of that name if the model has no thinking budget", async () => {
    const { script } = await finish([DONE], {}, { variant: "high", settings: { effortLevel: "low" } })
    expect(requests(script)).toMatchObject([{ thinking: { type: "adaptive" }, output_config: { effort: "high" } }])
  })

  it("replaces the thinking that is set, and is replaced by what is set later", async () => {
    const { session, idle } = await start([DONE], {}, { ...SONNET, maxThinkingTokens: 3000 })
    await idle()
    expect(session.changes.patch({ options: { variant: "medium" } })).toBeUndefined()
    expect(session.record.options).toEqual({ ...SONNET, variant: "medium" })
    expect(session.changes.patch({ options: { effort: "low" } })).toBeUndefined()
    expect(session.record.options).toEqual({ ...SONNET, effort: "low" })
  })

  it("yields to the turn's own variant, which applies only to that turn", async () => {
    const { session, idle, script } = await start([DONE], {}, { ...SONNET, maxThinkingTokens: 3000 })
    await idle()
    const next = scripted([DONE])
    prompt(session, promptFor(next), { variant: "low" })
    await idle()
    expect(requests(next)).toMatchObject([{ thinking: { budget_tokens: 5000 } }])
    expect(requests(script)).toMatchObject([{ thinking: { budget_tokens: 3000 } }])
    expect(session.record.options).toEqual({ ...SONNET, maxThinkingTokens: 3000 })
  })
})
