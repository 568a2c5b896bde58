import { APIError } from "@anthropic-ai/sdk/error"
import { describe, expect, it } from "vitest"
import { requestError } from "../../../src/model/live/live-errors.ts"

describe("an error of the Messages API", () => {
  it.each([
    ["true", { shouldRetry: true }],
    ["false", { shouldRetry: false }],
    ["perhaps", {}],
  ])("with x-should-retry: %s keeps %j of it", (value, expected) => {
    const body = { type: "error", error: { type: "overloaded_error", message: "m" } }
    const error = APIError.generate(529, body, "m", new Headers({ "x-should-retry": value }))
    const { shouldRetry, status, type } = requestError(error, 0, [])
    expect({ status, type }).toEqual({ status: 529, type: "overloaded_error" })
    expect(shouldRetry === undefined ? {} : { shouldRetry }).toEqual(expected)
  })
})
