// The OpenAI harness against a server with chat completions over HTTP: the protocol's own cases.
import { Clock, Effect, Exit, Stream } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import type { HarnessError } from "../../../src/signals/errors.ts"
import { OpenAIHarness, type OpenAIHarnessOptions } from "../../../src/signals/harness/openai.ts"
import { HarnessService } from "../../../src/signals/harness.ts"
import { createScriptedOpenAi, type ScriptedOpenAi } from "../../support/openai/scripted-openai.mjs"
import { QuickClock } from "../../support/values/quick-clock.ts"

const KEY = "sk-proj-0123456789abcdef"
const TEXT = "Zwölf größere Füße: 你好, 👋🏽 🇩🇪 – done."
/** A chunk with the end of its answer. */
const LAST = { choices: [{ index: 0, delta: { content: "All" }, finish_reason: "stop" }] }

let api: ScriptedOpenAi
beforeAll(async () => {
  api = await createScriptedOpenAi({ key: KEY })
})
afterAll(() => api.close())
afterEach(() => vi.unstubAllEnvs())

const using = <A, E>(
  use: (harness: HarnessService["Service"]) => Effect.Effect<A, E>,
  options: Partial<OpenAIHarnessOptions> = {},
  { clock } = new QuickClock(),
): Promise<A> =>
  Effect.flatMap(HarnessService, use).pipe(
    Effect.provide(OpenAIHarness({ model: "gpt-5", apiKey: KEY, baseUrl: api.url, maxRetries: 0, ...options })),
    Effect.provideService(Clock.Clock, clock),
    Effect.runPromise,
  )

const streamed = (prompt: string, options?: Partial<OpenAIHarnessOptions>, clock?: QuickClock): Promise<string> =>
  using((harness) => Stream.mkString(harness.stream(prompt)), options, clock)

const failureOf = (prompt: string, options?: Partial<OpenAIHarnessOptions>): Promise<HarnessError> =>
  using(
    (harness) => Effect.flip(Effect.catchTag(Stream.runDrain(harness.stream(prompt)), "RecordingNotFound", Effect.die)),
    options,
  )

describe("a request", () => {
  it("is one user message for the selected model, streamed or not", async () => {
    api.set("request", { text: TEXT })
    const before = api.log.length
    await using((harness) => harness.complete("[[script:request]] one"))
    await using((harness) => Stream.runDrain(harness.stream("[[script:request]] two", { model: "gpt-5-mini" })), {
      maxTokens: 70,
    })
    expect(api.log.slice(before).map(({ body }) => body)).toEqual([
      { model: "gpt-5", messages: [{ role: "user", content: "[[script:request]] one" }], stream: false },
      {
        model: "gpt-5-mini",
        messages: [{ role: "user", content: "[[script:request]] two" }],
        stream: true,
        max_completion_tokens: 70,
      },
    ])
  })

  it("takes key and address from the environment if the options name none", async () => {
    api.set("environment", { text: TEXT })
    vi.stubEnv("OPENAI_API_KEY", KEY)
    vi.stubEnv("OPENAI_BASE_URL", `${api.url}/`)
    const answer = Effect.flatMap(HarnessService, (harness) => harness.complete("[[script:environment]]"))
    expect(await Effect.runPromise(Effect.provide(answer, OpenAIHarness({ model: "gpt-5" })))).toBe(TEXT)
  })

  it("is not sent without a key or an address", async () => {
    vi.stubEnv("OPENAI_API_KEY", "")
    vi.stubEnv("OPENAI_BASE_URL", "")
    const answer = Effect.flatMap(HarnessService, (harness) => harness.complete("anyone?"))
    const failure = await Effect.runPromise(Effect.flip(Effect.provide(answer, OpenAIHarness({ model: "gpt-5" }))))
    expect(failure.message).toContain("Pass `apiKey`, or set OPENAI_API_KEY.")
  })

  it("sends its key to no other address", async () => {
    const other = await createScriptedOpenAi()
    const headers = { location: `${other.url}/chat/completions` }
    api.set("elsewhere", { error: { status: 307, headers } })
    const failure = await failureOf("[[script:elsewhere]]")
    expect(failure.cause).toMatchObject({ status: 307 })
    expect(other.log).toEqual([])
    await other.close()
  })
})

describe("a stream", () => {
  it.each([1, 2, 3, 7])("that arrives %i bytes at a time loses no character", async (bytes) => {
    api.set("cut", { text: TEXT, chunk: 3, bytes })
    expect(await streamed("[[script:cut]]")).toBe(TEXT)
  })

  it.each([1, 2, 5])("with other line ends, comments and fields is the same, %i bytes at a time", async (bytes) => {
    const delta = (content: string) => `data:${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}`
    const lines = [": keep-alive", "", "event: message", delta("Grüße"), "", "id: 1", "retry: 5", delta(", 👋🏽 "), ""]
    const last = [`data: ${JSON.stringify(LAST)}`, "", "data: [DONE]", "", ""]
    for (const end of ["\r\n", "\n"]) {
      api.set("fields", { raw: [...lines, ...last].join(end), bytes })
      expect(await streamed("[[script:fields]]")).toBe("Grüße, 👋🏽 All")
    }
  })

  it("may end without [DONE] once its answer is finished", async () => {
    api.set("no-done", { raw: `data: ${JSON.stringify(LAST)}\n\n` })
    expect(await streamed("[[script:no-done]]")).toBe("All")
  })

  it("ends with its answer, whatever the server sends afterwards", async () => {
    api.set("on-and-on", { raw: `data: ${JSON.stringify(LAST)}\n\n`, pause: { after: 0, gate: "for-ever" } })
    expect(await streamed("[[script:on-and-on]]")).toBe("All")
  })

  it.each([
    ["line", `data: "${"x".repeat(1_100_000)}"\n\n`],
    ["event", "data: 1\n".repeat(140_000)],
  ])("whose %s has no end fails, and is not asked for again", async (what, raw) => {
    api.set(`long-${what}`, { raw })
    const failure = await failureOf(`[[script:long-${what}]]`, { maxRetries: 3 })
    expect(failure.message).toBe(
      "OpenAI failed (answer_too_long): The model's answer, or one of its events, is longer than a harness can read.",
    )
    expect(api.log.filter(({ script }) => script === `long-${what}`)).toHaveLength(1)
  })

  it("ignores comments, usage and chunks of other kinds", async () => {
    const events = [
      { choices: [{ index: 0, delta: { role: "assistant" } }], obfuscation: "x" },
      { choices: [{ index: 0, delta: { content: "A", reasoning: "…" } }] },
      { object: "something.new" },
      { choices: [{ index: 0, delta: { content: "B" }, finish_reason: "stop" }] },
      { choices: [], usage: { total_tokens: 3 } },
    ]
    const lines = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
    api.set("more", { raw: `: keep-alive\n\n${lines.join("")}data: [DONE]\n\n` })
    expect(await streamed("[[script:more]]")).toBe("AB")
  })

  it("that ends before its answer's end fails", async () => {
    api.set("short", { text: TEXT, ends: { after: 1 } })
    const failure = await failureOf("[[script:short]]")
    expect(failure.cause).toMatchObject({ status: null, type: "connection_error", midStream: true })
  })

  it("that reports an error fails with it", async () => {
    const message = `The server had an error while processing ${KEY}`
    api.set("error", { text: TEXT, mid_error: { after: 1, type: "server_error", message } })
    const failure = await failureOf("[[script:error]]", { maxRetries: 3 })
    expect(failure.cause).toMatchObject({ status: null, type: "server_error", midStream: true })
    expect(failure.message).toContain("The server had an error while processing [secret]")
    expect(api.log.filter(({ script }) => script === "error")).toHaveLength(1)
  })

  it("and a whole answer that are interrupted fail the same way", async () => {
    api.set("cut-off", { text: TEXT, drop: { after: 0 } })
    const whole = await using((harness) => Effect.flip(harness.complete("[[script:cut-off]]")))
    const stream = await failureOf("[[script:cut-off]]")
    for (const { message, cause } of [whole, stream]) {
      expect(message).toMatch(/^OpenAI failed \(connection_error\): The (connection to the )?model/)
      expect(cause).toMatchObject({ status: null, type: "connection_error" })
    }
  })

  it("that failed before its first text is requested again", async () => {
    api.set("again", [{ text: TEXT, mid_error: { after: 0 } }, { text: TEXT, ends: { after: 0 } }, { text: TEXT }])
    expect(await streamed("[[script:again]]", { maxRetries: 3 })).toBe(TEXT)
  })

  it("that is not a stream fails, and nothing is written to the console", async () => {
    const written = vi.spyOn(console, "error")
    api.set("none", { raw: "data: {broken\n\n" })
    const failure = await failureOf("[[script:none]]")
    expect(failure.cause).toMatchObject({ type: "connection_error" })
    expect(written).not.toHaveBeenCalled()
    written.mockRestore()
  })

  it("whose model refuses fails", async () => {
    api.set("declined", { refusal: "I can't help with that." })
    expect((await failureOf("[[script:declined]]")).cause).toMatchObject({ type: "refusal" })
    const whole = using((harness) => Effect.exit(harness.complete("[[script:declined]]")))
    expect(Exit.isFailure(await whole)).toBe(true)
  })
})

describe("an error of the API", () => {
  it("does not reveal a wrong key, whatever the server repeats", async () => {
    const failure = await failureOf("[[script:wrong-key]]", { apiKey: "sk-proj-fedcba9876543210" })
    expect(failure.cause).toMatchObject({ status: 401, type: "invalid_api_key" })
    expect(JSON.stringify([failure.message, failure.cause])).not.toContain("fedcba")
  })

  it("is retried after the pause that the server requests", async () => {
    api.set("later", [
      { error: { status: 429, headers: { "retry-after": "7" } } },
      { error: { status: 503, headers: { "retry-after-ms": "9000" } } },
      { text: TEXT },
    ])
    const clock = new QuickClock()
    expect(await streamed("[[script:later]]", { maxRetries: 2 }, clock)).toBe(TEXT)
    const [first = 0, second = 0] = clock.slept
    expect(clock.slept).toHaveLength(2)
    expect([first >= 7000 && first <= 8750, second >= 9000 && second <= 11_250]).toEqual([true, true])
  })

  it("of an exhausted quota is final", async () => {
    const error = {
      status: 429,
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your quota",
    }
    api.set("quota", { error })
    expect((await failureOf("[[script:quota]]", { maxRetries: 3 })).cause).toMatchObject({ type: "insufficient_quota" })
    expect(api.log.filter(({ script }) => script === "quota")).toHaveLength(1)
  })

  it.each(["", "<html>Bad gateway</html>", "[1]", '{"error":"busy"}', '{"error":{"message":5,"code":7}}'])(
    "with the body %s is one too",
    async (body) => {
      api.set("odd", { error: { status: 502, body } })
      const failure = await failureOf("[[script:odd]]")
      expect(failure.message).toBe("OpenAI failed (502 api_error): The model's server returned no reason.")
    },
  )

  it.each(["", "{", "[]", '{"choices":[]}', '{"choices":[{"message":{"content":7}}]}'])(
    "is the result of the answer %s",
    async (raw) => {
      api.set("no-answer", { raw })
      const failure = await using((harness) => Effect.flip(harness.complete("[[script:no-answer]]")))
      expect(failure.message).toContain("The model's answer was not a chat completion.")
    },
  )
})
