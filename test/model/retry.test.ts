import { describe, expect, it } from "vitest"
import { ModelError } from "../../src/model/messages-api.ts"
import {
  apiErrorText,
  classify,
  errorKind,
  finalErrorKind,
  MAX_RETRIES,
  NOTHING_TRIED,
  plan,
  retryDelayMs,
  terminalReasonOf,
  type TriesSoFar,
} from "../../src/model/retry.ts"

const failure = (
  status: number | null,
  type: string,
  more: Partial<ConstructorParameters<typeof ModelError>[0]> = {},
) => new ModelError({ status, type, message: "why", requestId: null, retryAfterMs: null, midStream: false, ...more })

describe("errors", () => {
  it("the last of interrupted, missing or overloaded answers is a server's failure", () => {
    expect(finalErrorKind(failure(null, "connection_error", { midStream: true }))).toBe("server_error")
    expect(finalErrorKind(failure(529, "overloaded_error"))).toBe("server_error")
    expect(finalErrorKind(failure(null, "connection_error"))).toBe("server_error")
    expect(finalErrorKind(failure(null, "timeout_error"))).toBe("server_error")
    expect(finalErrorKind(failure(400, "invalid_request_error"))).toBe("unknown")
    for (const status of [408, 409]) expect(finalErrorKind(failure(status, "some_error"))).toBe("unknown")
    expect(errorKind(failure(null, "connection_error", { midStream: true }))).toBe("unknown")
  })

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
    [400, "api_error", "fatal", "unknown"],
    [400, "rate_limit_error", "fatal", "unknown"],
    [null, "unreadable_answer", "retry", "unknown"],
    [null, "thought_only", "retry", "unknown"],
    [401, "authentication_error", "fatal", "authentication_failed"],
    [402, "billing_error", "fatal", "unknown"],
    [402, "api_error", "fatal", "unknown"],
    [403, "permission_error", "fatal", "authentication_failed"],
    [404, "not_found_error", "fatal", "model_not_found"],
    [413, "request_too_large", "fatal", "invalid_request"],
    [422, "invalid_request_error", "fatal", "unknown"],
  ] as const)("%s %s: %s, reported as %s", (status, type, verdict, kind) => {
    const error = failure(status, type)
    expect(classify(error)).toBe(verdict)
    expect(errorKind(error)).toBe(kind)
  })

  it.each([400, 402])("%i without credit is a billing error", (status) => {
    const error = failure(status, "api_error", { message: "Your credit balance is too low to access the API" })
    expect(errorKind(error)).toBe("billing_error")
    expect(apiErrorText(error)).toMatch(new RegExp(`^Credit balance is too low · .*API Error: ${status}`))
  })

  it("a prompt that is too long is an invalid request", () => {
    const message = "prompt is too long: 210000 tokens > 200000 maximum"
    expect(errorKind(failure(400, "invalid_request_error", { message }))).toBe("invalid_request")
  })
})

describe("the delay before a retry", () => {
  const plain = failure(529, "overloaded_error")

  it("doubles from half a second to 32 seconds", () => {
    const waits = Array.from({ length: MAX_RETRIES }, (_, index) => retryDelayMs(index + 1, plain, 0))
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000, 32_000])
  })

  it("has up to a quarter of jitter", () => {
    expect(retryDelayMs(1, plain, 0.5)).toBe(563)
    expect(retryDelayMs(5, plain, 0.999999)).toBe(10_000)
  })

  it("is longer if the server requests it, and never shorter", () => {
    expect(retryDelayMs(1, failure(429, "rate_limit_error", { retryAfterMs: 3000 }), 0)).toBe(3000)
    expect(retryDelayMs(4, failure(429, "rate_limit_error", { retryAfterMs: 1000 }), 0)).toBe(4000)
  })

  it("is limited, whatever the server requests", () => {
    expect(retryDelayMs(1, failure(429, "rate_limit_error", { retryAfterMs: 1e12 }), 0)).toBe(600_000)
  })
})

const TOO_LONG = "prompt is too long: 210000 tokens > 200000 maximum"

describe("the next attempt", () => {
  const tries = (more: Partial<TriesSoFar> = {}): TriesSoFar => ({
    ...NOTHING_TRIED,
    maxRetries: MAX_RETRIES,
    fallbackLeft: false,
    overloads: 1,
    unseen: false,
    ...more,
  })
  const midError = failure(null, "overloaded_error", { midStream: true })
  const drop = failure(null, "connection_error", { midStream: true })
  const overloaded = failure(529, "overloaded_error")

  it.each([429, 500, 502, 503, 504, 529, 599])("%i is retried, and reported", (status) => {
    expect(plan(failure(status, "api_error"), tries())).toEqual({ next: "retry" })
  })

  it.each([
    ["a server that can't be reached", failure(null, "connection_error")],
    ["a connection lost in the middle", drop],
  ])("%s is sent again, and reported", (_, error) => {
    expect(plan(error, tries())).toEqual({ next: "retry" })
    expect(plan(error, tries({ nonStreamingTried: true }))).toEqual({ next: "retry" })
  })

  it("a server that stalled until a limit is called once more, then the fallback model is", () => {
    const idle = failure(null, "timeout_error", { midStream: true, timedOut: "idle" })
    expect(plan(idle, tries({ timeouts: 1 }))).toEqual({ next: "retry" })
    expect(plan(idle, tries({ timeouts: 1, maxRetries: 0 }))).toEqual({ next: "fail" })
    expect(plan(idle, tries({ timeouts: 2 }))).toEqual({ next: "fail" })
    expect(plan(idle, tries({ timeouts: 2, fallbackLeft: true }))).toMatchObject({ next: "fallback_model" })
  })

  it("there is none once the step's own time is up", () => {
    const total = failure(null, "timeout_error", { midStream: true, timedOut: "total" })
    expect(plan(total, tries({ timeouts: 1, fallbackLeft: true }))).toEqual({ next: "fail" })
  })

  it.each([408, 409])("%i is retried, and reported", (status) => {
    expect(plan(failure(status, "some_error"), tries())).toEqual({ next: "retry" })
  })

  it.each([401, 402, 403, 413])("%i is fatal at once", (status) => {
    expect(plan(failure(status, "some_error"), tries({ fallbackLeft: true, overloads: 0 }))).toEqual({ next: "fail" })
  })

  it.each([400, 422])("%i is retried once in the plain form, whatever the error's text is", (status) => {
    const error = failure(status, "some_error")
    expect(plan(error, tries())).toEqual({ next: "plain_form" })
    expect(plan(error, tries({ plainTries: 1 }))).toEqual({ next: "fail" })
  })

  it("400 of the plain form is fatal, unless another model may accept it", () => {
    const saying = (message: string) => failure(400, "invalid_request_error", { message })
    const refused = tries({ plainTries: 1, fallbackLeft: true })
    expect(plan(saying("Bad."), refused)).toEqual({ next: "fallback_model", trigger: "last_resort" })
    const others = [TOO_LONG, "Your credit balance is too low"].map((message) => plan(saying(message), refused).next)
    expect(others).toEqual(["fail", "fail"])
  })

  it("the API's own statement whether to retry takes precedence over the status", () => {
    const extra = failure(429, "rate_limit_error", { message: "Extra usage is required for long context requests." })
    expect(plan(extra, tries())).toEqual({ next: "fail" })
    expect(plan(failure(529, "overloaded_error", { shouldRetry: false }), tries())).toEqual({ next: "fail" })
    const refused = failure(529, "overloaded_error", { shouldRetry: false })
    const fallback = { next: "fallback_model", trigger: "last_resort" }
    expect(plan(refused, tries({ fallbackLeft: true }))).toEqual(fallback)
    expect(plan(failure(429, "rate_limit_error", { shouldRetry: false }), tries({ fallbackLeft: true }))).toEqual({
      next: "fail",
    })
    const asked = failure(400, "invalid_request_error", { shouldRetry: true })
    expect(plan(asked, tries({ plainTries: 1 }))).toMatchObject({ next: "retry" })
  })

  it.each([
    ["a refused key", failure(401, "authentication_error", { shouldRetry: true })],
    ["a forbidden model", failure(403, "permission_error", { shouldRetry: true })],
    ["a request that is too large", failure(413, "request_too_large", { shouldRetry: true })],
    [
      "a conversation that is too long",
      failure(400, "invalid_request_error", { message: TOO_LONG, shouldRetry: true }),
    ],
  ])("%s is fatal at once, whatever the API answers", (_, error) => {
    expect(plan(error, tries())).toEqual({ next: "fail" })
  })

  it("an overloaded server is retried whatever the status of its answer", () => {
    expect(plan(failure(400, "overloaded_error"), tries({ plainTries: 1 }))).toMatchObject({ next: "retry" })
  })

  it("a key or an address that can't be sent is fatal at once", () => {
    expect(plan(failure(null, "invalid_request_error"), tries())).toEqual({ next: "fail" })
  })

  it("404 is retried once without streaming", () => {
    const error = failure(404, "not_found_error")
    expect(plan(error, tries())).toEqual({ next: "non_streaming" })
    expect(plan(error, tries({ nonStreamingTried: true }))).toEqual({ next: "fail" })
  })

  it("an error event in the stream is retried once without streaming, then like any other failure", () => {
    for (const type of ["overloaded_error", "api_error", "invalid_request_error"]) {
      expect(plan(failure(null, type, { midStream: true }), tries())).toEqual({ next: "non_streaming" })
    }
    expect(plan(midError, tries({ nonStreamingTried: true }))).toMatchObject({ next: "retry" })
    expect(plan(midError, tries({ nonStreamingTried: true, attempt: 10 }))).toEqual({ next: "fail" })
    const refused = failure(null, "invalid_request_error", { midStream: true })
    expect(plan(refused, tries({ nonStreamingTried: true }))).toEqual({ next: "fail" })
  })

  it("an overload before the answer has content is retried with streaming, at most twice, another error without", () => {
    const { next } = plan(failure(null, "api_error", { midStream: true }), tries({ unseen: true }))
    expect(next).toBe("non_streaming")
    expect(plan(midError, tries({ unseen: true }))).toEqual({ next: "restart" })
    expect(plan(midError, tries({ unseen: true, restarts: 1 }))).toEqual({ next: "restart" })
    expect(plan(midError, tries({ unseen: true, restarts: 2 }))).toEqual({ next: "non_streaming" })
    expect(plan(midError, tries({ unseen: true, maxRetries: 0 }))).toEqual({ next: "non_streaming" })
  })

  it("a stream that can't be parsed is retried once without streaming", () => {
    const unreadable = failure(null, "unreadable_answer", { midStream: true })
    expect(plan(unreadable, tries({ unseen: true }))).toEqual({ next: "non_streaming" })
    expect(plan(unreadable, tries({ nonStreamingTried: true }))).toMatchObject({ next: "retry" })
  })

  it("422 for fields that only some servers support is retried once in the plain form", () => {
    const error = failure(422, "invalid_request_error", { message: "thinking.display: Extra inputs are not permitted" })
    expect(plan(error, tries())).toEqual({ next: "plain_form" })
    expect(plan(error, tries({ plainTries: 1 }))).toEqual({ next: "fail" })
  })

  it("a connection that is lost repeatedly is retried once without streaming", () => {
    const spent = tries({ attempt: 3, maxRetries: 2 })
    expect(plan(drop, spent)).toEqual({ next: "non_streaming" })
    expect(plan(drop, { ...spent, nonStreamingTried: true })).toEqual({ next: "fail" })
  })

  it("the options limit the number of retries", () => {
    expect(plan(overloaded, tries({ attempt: 10 }))).toMatchObject({ next: "retry" })
    expect(plan(overloaded, tries({ attempt: 11 }))).toEqual({ next: "fail" })
    expect(plan(overloaded, tries({ maxRetries: 0 }))).toEqual({ next: "fail" })
  })

  it("three overloaded answers lead to the fallback model, if one is left", () => {
    expect(plan(overloaded, tries({ fallbackLeft: true, overloads: 2, attempt: 2 }))).toMatchObject({ next: "retry" })
    expect(plan(overloaded, tries({ fallbackLeft: true, overloads: 3, attempt: 3 }))).toEqual({
      next: "fallback_model",
      trigger: "overloaded",
    })
    expect(plan(overloaded, tries({ overloads: 3, attempt: 3 }))).toMatchObject({ next: "retry" })
    const streamed = tries({ fallbackLeft: true, overloads: 3, attempt: 3, nonStreamingTried: true })
    expect(plan(midError, streamed)).toEqual({ next: "fallback_model", trigger: "overloaded" })
  })

  it("a rate limit and too few overloaded answers do not lead to it", () => {
    const spent = tries({ fallbackLeft: true, maxRetries: 0 })
    expect(plan(overloaded, spent)).toEqual({ next: "fail" })
    expect(plan(failure(429, "rate_limit_error"), spent)).toEqual({ next: "fail" })
  })

  it("a server that failed leads to the fallback model at once", () => {
    const tried = tries({ fallbackLeft: true })
    for (const status of [500, 502, 503]) {
      const next = { next: "fallback_model", trigger: "server_error" }
      expect(plan(failure(status, "api_error"), tried)).toEqual(next)
    }
  })

  it("a model that does not exist leads to the fallback model, at once if the API names it", () => {
    const next = { next: "fallback_model", trigger: "model_not_found" }
    const named = failure(404, "not_found_error", { message: "model: claude-none" })
    expect(plan(named, tries({ fallbackLeft: true }))).toEqual(next)
    const unnamed = failure(404, "not_found_error")
    expect(plan(unnamed, tries({ fallbackLeft: true }))).toEqual({ next: "non_streaming" })
    expect(plan(unnamed, tries({ fallbackLeft: true, nonStreamingTried: true }))).toEqual(next)
  })

  it.each([
    "Unexpected value(s) `effort-2025-11-24` for the `anthropic-beta` header.",
    "thinking.adaptive.display: Extra inputs are not permitted",
    "adaptive thinking is not supported on this model",
    "This model does not support the effort parameter.",
    "output_config: Extra inputs are not permitted",
    "thinking.type.disabled is not supported for this model",
  ])("a request refused for what is optional (%s) is sent once more in its plain form", (message) => {
    const error = failure(400, "invalid_request_error", { message })
    expect(plan(error, tries())).toEqual({ next: "plain_form" })
    expect(plan(error, tries({ plainTries: 1 }))).toEqual({ next: "fail" })
  })

  it.each([
    TOO_LONG,
    "messages.0: bad thing",
    "messages.0.content.0.text.display: Extra inputs are not permitted",
    "tools.3.custom.effort: Extra inputs are not permitted",
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "Your credit balance is too low to access the API",
  ])("a request refused for what no form can change (%s) is not", (message) => {
    expect(plan(failure(400, "invalid_request_error", { message }), tries())).toEqual({ next: "fail" })
  })
})

describe("how a failure is reported", () => {
  it("the text starts like the SDK's and contains the API's message", () => {
    expect(apiErrorText(failure(400, "invalid_request_error"))).toBe("API Error: 400 why")
    expect(apiErrorText(failure(403, "permission_error"))).toMatch(/^Failed to authenticate\. API Error: 403 why · /)
    expect(apiErrorText(failure(null, "connection_error"))).toBe("API Error: why")
  })

  it.each([
    [failure(404, "not_found_error"), /^API Error: 404 .*not found/],
    [failure(413, "request_too_large"), /^Request too large · API Error: 413/],
    [failure(400, "invalid_request_error", { message: TOO_LONG }), /^Prompt is too long · .*longer/],
    [failure(null, "overloaded_error", { midStream: true }), /^API Error: .*\(overloaded_error\)/],
    [failure(null, "connection_error", { midStream: true }), /^API Error: .*lost/],
  ])("what a user can act on has a text of its own (%#)", (error, words) => {
    expect(apiErrorText(error)).toMatch(words)
    expect(apiErrorText(error)).not.toContain(error.message)
  })

  it.each([
    [
      failure(401, "authentication_error", { message: "invalid x-api-key" }),
      /^Invalid API key · .*401 invalid x-api-key/,
    ],
    [failure(null, "authentication_error"), /^Invalid API key · /],
    [failure(403, "permission_error"), /^Failed to authenticate\. API Error: 403 /],
    [failure(404, "not_found_error"), /^API Error: 404 /],
    [
      failure(400, "invalid_request_error", { message: "Your credit balance is too low to access the API." }),
      /^Credit balance is too low · /,
    ],
  ])("a refusal that is about the server's own key names it (%#)", (error, begin) => {
    expect(apiErrorText(error)).toMatch(begin)
    expect(apiErrorText(error)).toMatch(/Perch server's (own key|ANTHROPIC_API_KEY)/)
  })

  it("a prompt that is too long and a body that is too large have separate reasons", () => {
    expect(terminalReasonOf(failure(400, "invalid_request_error", { message: TOO_LONG }))).toBe("prompt_too_long")
    expect(terminalReasonOf(failure(413, "request_too_large", { message: "Prompt is too long" }))).toBe(
      "prompt_too_long",
    )
    expect(terminalReasonOf(failure(413, "request_too_large"))).toBe("image_error")
    for (const status of [400, 401, 403, 404, 429, 500, 529, null]) {
      expect(terminalReasonOf(failure(status, "some_error"))).toBe("api_error")
    }
  })
})
