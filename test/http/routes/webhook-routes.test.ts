// What the routes of webhooks refuse before a webhook's object is called.
import { describe, expect, it } from "vitest"
import { makeApi } from "../api.ts"

describe("a webhook with a pattern that matches no event", () => {
  it.each([
    ["POST", "/v1/webhooks", { url: "https://example.com/hook" }],
    ["PATCH", "/v1/webhooks/0192f0c1-2345-7abc-8def-0123456789ab", {}],
  ])("is refused: %s %s", async (method, path, rest) => {
    const json = { ...rest, events: ["ask:opened", "sdk:resutl/*"] }
    const { error } = await makeApi().refused(400, method, path, { json })
    const message = "events[1]: matches no event. Did you mean sdk:result/*?"
    expect(error).toMatchObject({ type: "invalid_request_error", field: "events[1]", message })
  })
})
