import { describe, expect, it } from "vitest"
import { ModelError } from "../../src/model/messages-api.ts"
import { apiErrorText, classify, errorKind, MAX_RETRIES, retryDelayMs } from "../../src/model/retry.ts"

const failure = (
  status: number | null,
  type: string,
  more: Partial<ConstructorParameters<typeof ModelError>[0]> = {},
) => new ModelError({ status, type, message: "why", requestId: null, retryAfterMs: null, midStream: false, ...more })

describe("errors", () => {
  it.each([
    [429, "rate_limit_error", "retry", "rate_limit"],
    [500, "api_error", "retry", "server_error"],
    [502, "api_error", "retry", "server_error"],
    [503, "api_error", "retry", "server_error"],
    [504, "timeout_error", "retry", "server_error"],
    [529, "overloaded_error", "retry", "overloaded"],
    [599, "api_error", "retry", "server_error"],
    [null, "connection_error", "retry", "unknown"],
    [null, "overloaded_error", "retry", "overloaded"],
    [null, "rate_limit_error", "retry", "rate_limit"],
    [null, "api_error", "retry", "server_error"],
    [null, "timeout_error", "retry", "unknown"],
    [null, "invalid_request_error", "fatal", "unknown"],
    [null, "authentication_error", "fatal", "authentication_failed"],
    [400, "invalid_request_error", "fatal", "unknown"],
    [401, "authentication_error", "fatal", "authentication_failed"],
    [402, "billing_error", "fatal", "billing_error"],
    [403, "permission_error", "fatal", "authentication_failed"],
    [404, "not_found_error", "fatal", "model_not_found"],
    [413, "request_too_large", "fatal", "invalid_request"],
    [422, "invalid_request_error", "fatal", "unknown"],
  ] as const)("%s %s: %s, told as %s", (status, type, verdict, kind) => {
    const error = failure(status, type)
    expect(classify(error)).toBe(verdict)
    expect(errorKind(error)).toBe(kind)
  })

  it("a prompt that is too long is an invalid request", () => {
    const message = "prompt is too long: 210000 tokens > 200000 maximum"
    expect(errorKind(failure(400, "invalid_request_error", { message }))).toBe("invalid_request")
  })
})

describe("the wait before a retry", () => {
  const plain = failure(529, "overloaded_error")

  it("doubles from half a second to 32 seconds", () => {
    const waits = Array.from({ length: MAX_RETRIES }, (_, index) => retryDelayMs(index + 1, plain, 0))
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000, 32_000])
  })

  it("has up to a quarter of jitter", () => {
    expect(retryDelayMs(1, plain, 0.5)).toBe(563)
    expect(retryDelayMs(5, plain, 0.999999)).toBe(10_000)
  })

  it("is longer when the server asks for it, and never shorter", () => {
    expect(retryDelayMs(1, failure(429, "rate_limit_error", { retryAfterMs: 3000 }), 0)).toBe(3000)
    expect(retryDelayMs(4, failure(429, "rate_limit_error", { retryAfterMs: 1000 }), 0)).toBe(4000)
  })

  it("is bounded, whatever the server asks for", () => {
    expect(retryDelayMs(1, failure(429, "rate_limit_error", { retryAfterMs: 1e12 }), 0)).toBe(600_000)
  })
})

describe("the text of an API error", () => {
  it("begins as the SDK's does and carries the API's message", () => {
    expect(apiErrorText(failure(400, "invalid_request_error"))).toBe("API Error: 400 why")
    expect(apiErrorText(failure(null, "connection_error"))).toBe("API Error: why")
    expect(apiErrorText(failure(null, "overloaded_error", { midStream: true }))).toMatch(/^API Error: .*why$/)
    expect(apiErrorText(failure(null, "connection_error", { midStream: true }))).toMatch(/^API Error: .*lost/)
  })
})
