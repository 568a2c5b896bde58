// A limit of a session that is removed: over the route, in the record, and for views that fold the log.
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { changedOptions, OptionChanges, setOptionsOf } from "../../../src/schemas/rpc/option-changes.ts"
import { EMPTY_BASE, foldBase } from "../../../src/views/live/session-base.ts"
import { viewEventOf } from "../../../src/views/live/view-event.ts"
import { makeApi } from "../../http/api.ts"
import { TurnLog } from "../../support/session/turn-log.ts"

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
