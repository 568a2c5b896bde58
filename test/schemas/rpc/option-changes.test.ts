// A limit of a session that is removed: over the route, in the record, and for views that fold the log.
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { changedOptions, loggedChange, OptionChanges, setOptionsOf } from "../../../src/schemas/rpc/option-changes.ts"
import { EMPTY_BASE, foldBase } from "../../../src/views/live/session-base.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import { makeApi } from "../../http/api.ts"
import { loop, payloadsOf } from "../../support/session/loop.ts"
import { eventsOf } from "../../support/session/session-harness.ts"
import { TurnLog } from "../../support/session/turn-log.ts"

const { connected } = loop()

describe("null in a change of options", () => {
  it("removes a limit, and is no value of any other option", () => {
    const decode = Schema.decodeUnknownSync(OptionChanges)
    const change = decode({ maxBudgetUsd: null, maxTurns: 3 })
    expect(changedOptions({ maxBudgetUsd: 1, model: "opus" }, change)).toEqual({ model: "opus", maxTurns: 3 })
    expect(setOptionsOf(change)).toEqual({ maxTurns: 3 })
    expect(() => decode({ model: null })).toThrow("model")
  })

  it("is accepted by PATCH only", async () => {
    const { call, create, refused } = makeApi()
    const path = `/v1/sessions/${await create()}`
    const options = { maxBudgetUsd: null }
    expect((await call("PATCH", path, { json: { options } })).status).toBe(200)
    const { error } = await refused(400, "POST", `${path}/query`, { json: { prompt: "a", options } })
    expect(error.field).toBe("options.maxBudgetUsd")
  })

  it("removes the limit from the options that views show", () => {
    const log = new TurnLog()
    const created = { title: null, cwd: "/workspace", metadata: {}, options: { maxBudgetUsd: 1, model: "opus" } }
    log.add("session:created", created, null)
    log.add("session:changed", { options: { maxBudgetUsd: null } }, null)
    const base = log.events.map(viewEventOf).reduce(foldBase, EMPTY_BASE)
    expect(base.options).toEqual({ model: "opus" })
  })
})

describe("a removed option", () => {
  it("is null in the logged change if it was set, and missing otherwise", () => {
    const options = { thinking: { type: "adaptive" }, model: "opus" }
    expect(loggedChange(options, { thinking: undefined, maxThinkingTokens: undefined, model: "haiku" })).toEqual({
      thinking: null,
      model: "haiku",
    })
  })

  it("is logged with its name when a client of the control protocol removes it, so that views lose it too", async () => {
    const { client, log } = await connected({}, { model: "claude-opus-5-5" })
    await client.request("set_max_thinking_tokens", { max_thinking_tokens: 5000 })
    await client.request("set_max_thinking_tokens", { max_thinking_tokens: null })
    await client.request("set_model", {})
    const events = eventsOf(log)
    expect(payloadsOf(events, "session:changed").map(({ options }) => options)).toEqual([
      { maxThinkingTokens: 5000 },
      { maxThinkingTokens: null },
      { model: null },
    ])
    const { options } = events.map(viewEventOf).reduce(foldBase, EMPTY_BASE)
    expect(Object.keys(options)).not.toContain("model")
    expect(Object.keys(options)).not.toContain("maxThinkingTokens")
  })
})
