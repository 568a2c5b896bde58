// Thinking in requests after the model has changed: each model is sent its own.
import { describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { BYPASS, DONE, loop } from "../../support/session/loop.ts"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { conversation } from "../compaction/compactions.ts"
import { prompt } from "../../support/session/session-harness.ts"

const setting = loop()
const { connected, messagesSent, scripted } = setting

const [SONNET, HAIKU] = ["claude-sonnet-4-5", "claude-haiku-4-5"]

const thought = (words: string) => ({ type: "thinking", thinking: words, signature: `sig-${words}` })
const hidden = { type: "redacted_thinking", data: "AAAA" }
const answer = (words: string, extra: object = {}) => ({ content: [thought(words), text(`text ${words}`)], ...extra })

/** A session, and a function that sends it a prompt and waits for the end of its turn. */
const opened = async (turns: ReadonlyArray<object>, options: SessionOptions = { ...BYPASS, model: SONNET }) => {
  const { harness, ...booted } = await connected({}, options)
  const script = scripted([...turns])
  let current = booted as Pick<typeof booted, "session" | "idle" | "outbox">
  let first = true
  const ask = async (own: SessionOptions = {}) => {
    prompt(current.session, first ? promptFor(script) : "next", own)
    first = false
    await current.idle()
  }
  /** Lets the session rest and starts its object again. */
  const restart = async () => {
    await current.outbox.flush()
    harness.crash()
    current = harness.boot()
  }
  return { ask, restart, thinking: () => thinkingIn(script), script }
}

/** The thinking in each request of a script. */
const thinkingIn = (script: string) =>
  messagesSent(script).map((messages) =>
    messages.flatMap(({ content }) =>
      content.flatMap((block) => Reflect.get(block, "thinking") ?? Reflect.get(block, "data") ?? []),
    ),
  )

describe("after another model has answered", () => {
  it("a request has the thinking of its own model only, and that again when the model returns", async () => {
    const { ask, thinking, script } = await opened([answer("one"), answer("two"), answer("three"), DONE])
    await ask()
    await ask({ model: HAIKU })
    await ask()
    await ask({ model: "claude-haiku-4-5-20251001" })
    expect(thinking()).toEqual([[], [], ["one"], ["two"]])
    const texts = messagesSent(script)
      .at(-1)
      ?.flatMap(({ content }) => content.flatMap((block) => block["text"] ?? []))
    expect(texts).toEqual(expect.arrayContaining(["text one", "text two", "text three"]))
    // The name of the model is no field of the API's messages.
    for (const { body } of setting.api.log) expect(JSON.stringify(body["messages"])).not.toContain('"model"')
  })

  it("the thinking of long conversations is found too, also by an object that starts again", async () => {
    const many = Array.from({ length: 9 }, (_, at) => answer(`s${at}`))
    const own = many.map((_, at) => `s${at}`)
    const { ask, restart, thinking } = await opened([...many, answer("h"), DONE, DONE, DONE, DONE])
    for (let asked = 0; asked < many.length; asked += 1) await ask()
    await ask({ model: HAIKU })
    expect(thinking().at(-1)).toEqual([])
    await ask()
    expect(thinking().at(-1)).toEqual(own)
    await restart()
    await ask({ model: HAIKU })
    expect(thinking().at(-1)).toEqual(["h"])
    await restart()
    await ask()
    expect(thinking().at(-1)).toEqual(own)
  })

  it("a fallback model goes on without it between a call and its result", async () => {
    const busy = {
      error: { status: 529, type: "overloaded_error", message: "busy", headers: { "retry-after-ms": "1" } },
    }
    const turns = [
      { content: [thought("one"), call("Glob", { pattern: "*" })] },
      [busy, busy, busy, answer("two")],
      DONE,
    ]
    const { ask, thinking } = await opened(turns, { ...BYPASS, model: SONNET, fallbackModel: HAIKU })
    await ask()
    expect(thinking()).toEqual([[], ["one"], ["one"], ["one"], []])
    await ask({ model: HAIKU })
    expect(thinking().at(-1)).toEqual(["two"])
  })

  it("a fallback model that goes on after a pause is sent its own only, though both answers are one message", async () => {
    const busy = {
      error: { status: 529, type: "overloaded_error", message: "busy", headers: { "retry-after-ms": "1" } },
    }
    const turns = [answer("one", { stop_reason: "pause_turn" }), [busy, busy, busy, answer("two")], DONE]
    const { ask, restart, thinking, script } = await opened(turns, { ...BYPASS, model: SONNET, fallbackModel: HAIKU })
    await ask()
    expect(thinking()).toEqual([[], ["one"], ["one"], ["one"], []])
    await ask({ model: HAIKU })
    expect(thinking().at(-1)).toEqual(["two"])
    const [, both] = messagesSent(script).at(-1) ?? []
    expect(both?.content.map(({ type }) => type)).toEqual(["text", "thinking", "text"])
    await restart()
    await ask({ model: HAIKU })
    expect(thinking().at(-1)).toEqual(["two", "two"])
    await ask({ model: SONNET })
    expect(thinking().at(-1)).toEqual([])
  })

  it("redacted thinking is left out as well, and a message keeps its calls", async () => {
    const turns = [{ content: [hidden, call("Glob", { pattern: "*" })] }, DONE, DONE]
    const { ask, thinking, script } = await opened(turns)
    await ask()
    await ask({ model: "claude-opus-5-5" })
    expect(thinking()).toEqual([[], ["AAAA"], []])
    expect(
      messagesSent(script)
        .at(-1)?.[1]
        ?.content.map(({ type }) => type),
    ).toEqual(["tool_use"])
  })
})

it("an exchange that a compaction preserves belongs to its model", async () => {
  const options = { ...BYPASS, model: SONNET }
  const { say, session, behind, idle } = await conversation(setting, [answer("one"), answer("two")], {
    options,
    after: [DONE, DONE],
  })
  for (const words of ["p0", "p1", "/compact"]) await say(words)
  for (const model of [HAIKU, SONNET]) {
    prompt(session, "next", { model })
    await idle()
  }
  expect(thinkingIn(behind)).toEqual([[], ["two"]])
})

describe("the same model under another name", () => {
  it.each([
    ["a dated id in the answers", "claude-sonnet-4-5-20250929", SONNET],
    ["a dated id in the next request", undefined, "claude-sonnet-4-5-20250929"],
    ["a gateway's name in the answers", "gateway/sonnet", SONNET],
  ])("gets its own thinking: %s", async (_, model, next) => {
    const { ask, thinking } = await opened([answer("one", model === undefined ? {} : { model }), DONE])
    await ask()
    await ask({ model: next })
    expect(thinking()).toEqual([[], ["one"]])
  })
})
