// The answers of one turn as parts: the content of each message, and the effect of retries, interrupts and failures.
import { describe, expect, it } from "vitest"
import { SESSION } from "../../support/session/turn-log.ts"
import { answers, begun, infoOf, project, types } from "../../support/views/projected.ts"

describe("an answer", () => {
  it("is one message for all blocks of one API message, in order", () => {
    const log = begun()
    log.block("m1", { type: "thinking", thinking: "hm", signature: "sig" })
    log.block("m1", { type: "redacted_thinking", data: "xyz" })
    log.text("m1", "Hi")
    log.toolUse("m1", "t1", "Read", { file_path: "/a" })
    log.call("m1", { stop_reason: "tool_use" })
    const [answer, ...others] = answers(log)
    expect(others).toEqual([])
    expect(types(answer?.parts)).toEqual([
      "step-start",
      "reasoning",
      "redacted-reasoning",
      "text",
      "tool",
      "step-finish",
    ])
    expect(answer?.parts).toMatchObject([
      {},
      { text: "hm", signature: "sig" },
      { data: "xyz" },
      { text: "Hi" },
      {
        callID: "t1",
        tool: "read",
        state: { status: "pending", input: { file_path: "/a" }, raw: '{"file_path":"/a"}' },
      },
      { reason: "tool_use", cost: 0.25 },
    ])
  })

  it("contains its parent, its directory, and its SDK message", () => {
    const log = begun()
    const first = log.text("m1", "Hi")
    const [user, answer] = project(log)
    expect(answer?.info).toMatchObject({
      parentID: user?.info.id,
      modelID: "claude-opus-5-5",
      providerID: "anthropic",
      permissionMode: "acceptEdits",
      path: { cwd: "/workspace", root: "/workspace" },
      time: { created: first.at },
      cost: 0,
      sdk: { uuid: first.uuid, sessionId: SESSION },
    })
    expect(infoOf(answer).time).not.toHaveProperty("completed")
  })

  it("gets cost, tokens and its finish from call:finished", () => {
    const log = begun()
    log.text("m1", "Hi")
    const usage = {
      input_tokens: 100,
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
      cache_read_input_tokens: 7,
      cache_creation_input_tokens: 9,
    }
    const call = log.call("m1", { usage, usd: 0.5 })
    const tokens = { input: 100, output: 50, reasoning: 20, cache: { read: 7, write: 9 } }
    const [answer] = answers(log)
    expect(answer?.info).toMatchObject({ cost: 0.5, tokens, finish: "end_turn", time: { completed: call.at } })
    expect(answer?.parts.at(-1)).toMatchObject({ type: "step-finish", reason: "end_turn", cost: 0.5, tokens })
  })

  it("is marked when its model has no price", () => {
    const log = begun()
    log.text("m1", "Hi")
    log.call("m1", { usd: null })
    expect(answers(log)[0]?.info).toMatchObject({ cost: 0, sdk: { unpriced: true } })
  })

  it("is another message when a server reuses an id", () => {
    const log = begun()
    log.text("m1", "one")
    log.call("m1")
    log.text("m1", "two")
    log.call("m1", { usd: 1 })
    expect(answers(log).map((answer) => infoOf(answer).cost)).toEqual([0.25, 1])
  })

  it("of a request without blocks leaves no message", () => {
    const log = begun()
    log.call("m0", { wasted: true })
    log.result()
    expect(answers(log)).toEqual([])
  })

  it("follows a mode change in the middle of the turn", () => {
    const log = begun()
    log.sdk("system/status", { status: null, permissionMode: "plan" })
    log.text("m1", "Hi")
    expect(answers(log)[0]?.info.permissionMode).toBe("plan")
  })
})

describe("failures", () => {
  it("an interrupt marks the last answer as aborted and keeps its text", () => {
    const log = begun()
    log.text("m1", "done")
    log.call("m1")
    log.text("m2", "half of")
    log.sdk("user", { message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] } })
    log.call("m2", { stop_reason: null })
    log.result("error_during_execution", {
      errors: ["The turn was interrupted."],
      terminal_reason: "aborted_streaming",
    })
    const [first, second] = answers(log)
    expect(infoOf(first)).not.toHaveProperty("error")
    expect(infoOf(second)).toMatchObject({
      error: { name: "MessageAbortedError", data: { message: "The turn was interrupted." } },
      finish: "cancelled",
    })
    expect(second?.parts).toMatchObject([
      { type: "step-start" },
      { text: "half of" },
      { type: "step-finish", reason: "unknown" },
    ])
  })

  it("a turn that broke inside the server is not shown as aborted", () => {
    const log = begun()
    log.text("m1", "half of")
    log.result("error_during_execution", { errors: ["broken"], terminal_reason: "turn_setup_failed" })
    expect(infoOf(answers(log)[0]).error).toEqual({ name: "UnknownError", data: { message: "broken" } })
  })

  it("retries are at the start of the next answer of their thread", () => {
    const log = begun()
    const retry = { attempt: 1, max_retries: 10, retry_delay_ms: 500, error_status: 529, error: "overloaded" }
    const event = log.sdk("system/api_retry", retry)
    log.sdk("system/api_retry", { ...retry, attempt: 2, error_status: null, error: "unknown" })
    log.text("m1", "Hi")
    log.text("m2", "again")
    const [first, second] = answers(log)
    expect(types(first?.parts)).toEqual(["retry", "retry", "step-start", "text"])
    expect(types(second?.parts)).toEqual(["step-start", "text"])
    expect(first?.parts).toMatchObject([
      {
        attempt: 1,
        time: { created: event.at },
        error: { name: "APIError", data: { statusCode: 529, isRetryable: true } },
      },
      { attempt: 2, error: { data: { isRetryable: true } } },
      {},
      {},
    ])
  })

  it.each([
    ["authentication_failed", 401, { name: "ProviderAuthError", data: { providerID: "anthropic", message: "bad" } }],
    ["overloaded", 529, { name: "APIError", data: { message: "bad", statusCode: 529, isRetryable: true } }],
    ["invalid_request", 400, { name: "APIError", data: { message: "bad", statusCode: 400, isRetryable: false } }],
    ["max_output_tokens", null, { name: "MessageOutputLengthError", data: {} }],
    ["unknown", null, { name: "UnknownError", data: { message: "bad" } }],
    [undefined, null, { name: "UnknownError", data: { message: "bad" } }],
  ])("an API failure %s is shown by name", (error, status, expected) => {
    const log = begun()
    log.sdk("assistant", {
      message: { id: "x", model: "<synthetic>", content: [{ type: "text", text: "bad" }] },
      ...(error === undefined ? {} : { error }),
      is_api_error_message: true,
      ...(status === null ? {} : { api_error_status: status }),
    })
    log.result("success", { is_error: true })
    const [answer] = answers(log)
    expect(infoOf(answer).error).toEqual(expected)
    expect(types(answer?.parts)).toEqual(["text"])
    expect(infoOf(answer).time.completed).toBe(infoOf(answer).time.created)
  })
})
