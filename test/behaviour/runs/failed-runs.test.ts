// Runs that the model's API refuses, and their results: the kinds of errors that callers of runs know.
import { describe, expect, it } from "vitest"
import { runResultOf, submitRun } from "../../support/runs/submitted-runs.ts"
import { DONE, loop, type Turns } from "../../support/session/loop.ts"
import { promptFor } from "../../support/session/scripts.ts"

const { harnessOf, scripted } = loop()

const refusing = (message: string) => ({ error: { status: 400, type: "invalid_request_error", message } })
const TOO_LONG = refusing("prompt is too long: 210000 tokens > 200000 maximum")

/** The result of the last of these runs in one session. */
const lastResult = async (...scripts: ReadonlyArray<Turns>) => {
  const booted = harnessOf().boot()
  let run = ""
  for (const script of scripts) {
    run = await submitRun(booted, { prompt: promptFor(scripted(script)) })
    await booted.idle()
  }
  return runResultOf(booted, run)
}

describe("the error of a run", () => {
  it("is context_overflow when the first request is too long", async () => {
    const { meta, payloads } = await lastResult([TOO_LONG])
    expect(meta.error).toEqual({ kind: "context_overflow", message: expect.stringContaining("Prompt is too long") })
    expect(meta.stopReason).toBe("prompt_too_long")
    expect(payloads).toEqual([{ text: meta.error?.message, isError: true }])
  })

  it("is compaction_failure when the conversation could not be compacted", async () => {
    // Scripts are what the API takes them as.
    const unsummed = (turn: object) =>
      ({ turns: [turn], compact: refusing("the summary is refused") }) as unknown as Turns
    const { meta } = await lastResult(unsummed(DONE), unsummed(DONE), unsummed(TOO_LONG))
    expect(meta.error).toMatchObject({ kind: "compaction_failure" })
  })

  it.each([
    'messages: roles must alternate between "user" and "assistant"',
    "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1",
    "messages.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1",
  ])("is role_ordering for %s", async (message) => {
    expect((await lastResult([refusing(message)])).meta.error).toMatchObject({ kind: "role_ordering" })
  })

  it.each([
    "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes",
    "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size",
  ])("is image_size for %s", async (message) => {
    expect((await lastResult([refusing(message)])).meta.error).toMatchObject({ kind: "image_size" })
  })

  it("has no kind for other refusals, but is still a payload", async () => {
    const { meta, payloads } = await lastResult([refusing("temperature: too hot")])
    expect(meta).not.toHaveProperty("error")
    expect(meta.stopReason).toBe("api_error")
    expect(payloads).toMatchObject([{ isError: true }])
  })

  it("is not repeated in the next run", async () => {
    expect((await lastResult([TOO_LONG], [DONE])).meta).toMatchObject({ stopReason: "completed" })
  })
})
