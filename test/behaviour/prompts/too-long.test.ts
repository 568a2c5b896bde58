// A prompt that is too long for the model: its session continues.
import { describe, expect, it } from "vitest"
import { BYPASS, DONE, loop, payloadsOf, textOf, type Turns, until } from "../../support/session/loop.ts"
import type { Block } from "../../../src/schemas/sdk/messages/blocks.ts"
import { call, promptFor, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, problemsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, harnessOf, messagesSent, scripted } = loop()
const TOO_LONG = { error: { status: 400, type: "invalid_request_error", message: "prompt is too long: 210000 tokens" } }

it("ends its turn with the error, and /clear continues without it", async () => {
  const opened = await connected()
  const script = scripted([TOO_LONG])
  const fresh = scripted([DONE])
  const ids: Array<string> = []
  for (const words of [promptFor(script), "/clear", promptFor(fresh)]) {
    ids.push(prompt(opened.session, words))
    await opened.idle()
  }
  const events = eventsOf(opened.log)
  expect(problemsOf(events, ids)).toEqual([])
  expect(payloadsOf(events, "sdk:result/success")).toMatchObject([
    { is_error: true, terminal_reason: "prompt_too_long", result: expect.stringContaining("Prompt is too long") },
    { local_command: "clear" },
    { is_error: false, result: "Done." },
  ])
  expect(messagesSent(fresh)[0]?.map(textOf)).toEqual([promptFor(fresh)])
})

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const IMAGE = { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } }
const PDF = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } }
const TOO_LARGE = { error: { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" } }

describe("after a request of too many bytes, the next one has no image and no document of the last message with some", () => {
  /** Sends the prompts one after the other; returns the types of the blocks of each request's user messages, reminders left out. */
  const sent = async (turns: Turns, prompts: ReadonlyArray<ReadonlyArray<Block>>, restarts = false) => {
    const script = scripted(turns)
    const harness = harnessOf({ ...BYPASS, settings: { autoCompactEnabled: false } })
    let booted = harness.boot()
    booted.workspace.writeOwn("/workspace/p.png", Buffer.from(PNG, "base64"))
    for (const [index, blocks] of prompts.entries()) {
      const first = index === 0 ? [{ type: "text", text: promptFor(script) }] : []
      const id = crypto.randomUUID()
      const content = [...first, ...blocks]
      booted.session.prompts.submit({ turn: id, prompt: content, onBusy: "queue", options: {}, fingerprint: id })
      await until(() => payloadsOf(eventsOf(booted.log), "sdk:result/success").length === index + 1)
      expect(problemsOf(eventsOf(booted.log), [id])).toEqual([])
      if (!restarts) continue
      harness.crash()
      booted = harness.boot()
    }
    const kept = JSON.stringify(eventsOf(booted.log).filter(({ name }) => name === "turn:queued"))
    await harness.dispose()
    const types = (content: ReadonlyArray<{ type: string; content?: unknown }>): ReadonlyArray<unknown> =>
      content.map((block) => (Array.isArray(block.content) ? types(block.content) : block.type))
    const requests = messagesSent(script).map((messages) =>
      messages.filter(({ role }) => role === "user").map(({ content }) => types(content as never)),
    )
    return { requests, kept }
  }
  const words = (text: string) => [{ type: "text", text }]

  it.each([false, true])("of prompts, whether the process restarts: %s", async (restarts) => {
    const turns = [textAnswer("One."), textAnswer("Two."), TOO_LARGE, textAnswer("Never.")]
    const { requests, kept } = await sent(turns, [[IMAGE], [PDF, IMAGE], words("three"), words("four")], restarts)
    expect(requests.at(-2)).toEqual([["text", "image", "text"], ["document", "image", "text"], ["text"]])
    expect(requests.at(-1)).toEqual([["text", "image", "text"], ["text"], ["text", "text"]])
    expect(kept.split(PNG)).toHaveLength(3)
  })

  it("of a prompt that has nothing else, and of a tool's result", async () => {
    const alone = await sent([textAnswer("One."), TOO_LARGE, textAnswer("Never.")], [[], [PDF], words("three")])
    expect(alone.requests.at(-1)).toEqual([["text"], ["text", "text"]])
    const read = { content: [call("Read", { file_path: "/workspace/p.png" })] }
    const result = await sent([read, TOO_LARGE, textAnswer("Never.")], [[], words("two")])
    expect(result.requests.at(-2)).toEqual([["text"], [["image"]]])
    expect(result.requests.at(-1)).toEqual([["text"], [["text"], "text"]])
  })
})
