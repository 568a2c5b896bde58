// The contract of every harness that calls a server over HTTP.
import { Clock, Effect, Fiber, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ModelError } from "../../../src/model/messages-api.ts"
import { HarnessError } from "../../../src/signals/errors.ts"
import type { AskingOptions } from "../../../src/signals/harness/options.ts"
import { HarnessService } from "../../../src/signals/harness.ts"
import { claudeProvider, KEY, openaiProvider, type Provider } from "../../support/openai/harness-providers.ts"
import { eventually } from "../../support/server/client.ts"
import { QuickClock } from "../../support/values/quick-clock.ts"

const TEXT = "A harness answers: grüße, 你好, 👋🏽 and good bye."

describe.each([
  ["Claude", claudeProvider],
  ["OpenAI", openaiProvider],
])("the harness of %s", (_, start) => {
  let provider: Provider
  beforeAll(async () => {
    provider = await start()
  })
  afterAll(() => provider.close())

  const using = <A, E>(
    use: (harness: HarnessService["Service"]) => Effect.Effect<A, E>,
    options: AskingOptions = { maxRetries: 0 },
    clock = new QuickClock(),
  ) =>
    Effect.flatMap(HarnessService, use).pipe(
      Effect.provide(provider.harness(options)),
      Effect.provideService(Clock.Clock, clock.clock),
    )

  const piecesOf = (prompt: string, options?: AskingOptions, clock?: QuickClock) =>
    Effect.runPromise(using((harness) => Stream.runCollect(harness.stream(prompt)), options, clock))

  const complete = (prompt: string, options?: AskingOptions, clock?: QuickClock) =>
    Effect.runPromise(using((harness) => harness.complete(prompt), options, clock))

  /** How `complete` and `stream` fail; both must fail the same way, except for where the answer broke. */
  const failures = (prompt: string, options?: AskingOptions) =>
    Effect.runPromise(
      using(
        (harness) =>
          Effect.all([Effect.flip(harness.complete(prompt)), Effect.flip(Stream.runDrain(harness.stream(prompt)))], {
            concurrency: "unbounded",
          }),
        options,
      ),
    )

  it("completes with the concatenation of its stream", async () => {
    provider.set("whole", { text: TEXT })
    expect((await piecesOf("[[script:whole]] go")).join("")).toBe(TEXT)
    expect(await complete("[[script:whole]] go")).toBe(TEXT)
  })

  it("returns an empty answer as an empty text", async () => {
    provider.set("empty", { text: "" })
    expect(await complete("[[script:empty]]")).toBe("")
    expect((await piecesOf("[[script:empty]]")).join("")).toBe("")
  })

  it.each([
    { status: 400, type: "invalid_request_error", message: "messages: too many" },
    { status: 401, type: "authentication_error", message: `invalid key ${KEY}` },
    { status: 404, type: "not_found_error", message: "model: no such" },
    { status: 429, type: "rate_limit_error", message: "slow down" },
    { status: 500, type: "api_error", message: "oh" },
  ])("fails with the status and type of an error $status, and without secrets", async (error) => {
    provider.set(`error-${error.status}`, { text: "", error })
    for (const failure of await failures(`[[script:error-${error.status}]]`)) {
      expect(failure).toBeInstanceOf(HarnessError)
      expect(failure.cause).toBeInstanceOf(ModelError)
      expect(failure.cause).toMatchObject({ status: error.status, type: error.type })
      expect(failure.message).toContain(`${provider.name} failed (${error.status} ${error.type})`)
      expect(JSON.stringify([failure, failure.message, failure.cause, failure.stack])).not.toContain(KEY)
    }
  })

  it.each(["refusal", "limit"] as const)("fails when the answer ended with a %s", async (stop) => {
    provider.set(stop, { text: "Half an", stop })
    const type = stop === "limit" ? "max_tokens" : "refusal"
    for (const failure of await failures(`[[script:${stop}]]`)) expect(failure.cause).toMatchObject({ type })
  })

  it("emits the chunks before the connection broke, then fails without a retry", async () => {
    provider.set("broken", { text: TEXT, dropAfter: 2 })
    const pieces: Array<string> = []
    const failure = await Effect.runPromise(
      using(
        (harness) =>
          Effect.flip(
            Stream.runForEach(harness.stream("[[script:broken]]"), (piece) => Effect.sync(() => pieces.push(piece))),
          ),
        { maxRetries: 3 },
      ),
    )
    expect(TEXT.startsWith(pieces.join(""))).toBe(true)
    expect(pieces.join("")).not.toBe("")
    expect(failure.cause).toMatchObject({ status: null, type: "connection_error" })
    expect(provider.requests("broken")).toHaveLength(1)
  })

  it("retries after overload and rate limits, with growing pauses", async () => {
    const busy = { status: 529, type: "overloaded_error", message: "busy" }
    const limited = { status: 429, type: "rate_limit_error", message: "slow down" }
    for (const ask of [complete, piecesOf]) {
      provider.set("retried", { text: "", error: busy }, { text: "", error: limited }, { text: TEXT })
      const clock = new QuickClock()
      const before = provider.requests("retried").length
      expect([await ask("[[script:retried]]", { maxRetries: 2 }, clock)].flat().join("")).toBe(TEXT)
      expect(provider.requests("retried").length - before).toBe(3)
      const [first = 0, second = 0] = clock.slept.filter((ms) => ms >= 500)
      expect(first).toBeLessThanOrEqual(625)
      expect(second).toBeGreaterThanOrEqual(1000)
    }
  })

  it("stops after the configured number of retries", async () => {
    provider.set("busy", { text: "", error: { status: 503, type: "overloaded_error", message: "busy" } })
    await failures("[[script:busy]]", { maxRetries: 2 })
    expect(provider.requests("busy")).toHaveLength(6)
  })

  it("aborts its request when it is interrupted", async () => {
    for (const [index, ask] of [
      (harness: HarnessService["Service"]) => harness.complete("[[script:held]]"),
      (harness: HarnessService["Service"]) => Stream.mkString(harness.stream("[[script:held]]")),
    ].entries()) {
      const gate = `${provider.name}-held-${index}`
      provider.set("held", { text: TEXT, gate })
      await Effect.runPromise(
        Effect.gen(function* () {
          const asking = yield* Effect.forkChild(using(ask))
          const arrived = () => Promise.resolve(provider.requests("held").length > index ? true : undefined)
          yield* Effect.promise(() => eventually(arrived))
          yield* Fiber.interrupt(asking)
        }),
      )
      await eventually(() => Promise.resolve(provider.requests("held")[index]?.aborted))
    }
  })

  it("aborts its request when a reader stops reading the stream", async () => {
    provider.set("enough", { text: TEXT, gate: `${provider.name}-enough` })
    const [first] = await Effect.runPromise(
      using((harness) => Stream.runCollect(Stream.take(harness.stream("[[script:enough]]"), 1))),
    )
    expect(TEXT.startsWith(first ?? "-")).toBe(true)
    await eventually(() => Promise.resolve(provider.requests("enough")[0]?.aborted))
  })

  it("answers many prompts at once, each with its own answer", async () => {
    const names = Array.from({ length: 16 }, (_, index) => `many-${index}`)
    for (const name of names) provider.set(name, { text: `${name}: ${TEXT}` })
    const answers = await Effect.runPromise(
      using((harness) =>
        Effect.forEach(
          names,
          (name, index) =>
            index % 2 === 0
              ? harness.complete(`[[script:${name}]]`)
              : Stream.mkString(harness.stream(`[[script:${name}]]`)),
          { concurrency: "unbounded" },
        ),
      ),
    )
    expect(answers).toEqual(names.map((name) => `${name}: ${TEXT}`))
  })

  it("fails when the server can't be reached, and reveals no address", async () => {
    const gone = await start()
    await gone.close()
    const failure = await Effect.runPromise(
      Effect.flatMap(HarnessService, (harness) => Effect.flip(harness.complete("anyone?"))).pipe(
        Effect.provide(gone.harness({ maxRetries: 0 })),
      ),
    )
    expect(failure.cause).toMatchObject({ status: null, type: "connection_error" })
    expect(JSON.stringify([failure.message, failure.cause])).not.toContain("127.0.0.1")
  })

  it.each([
    [{ baseUrl: "not an address" }, "no valid base URL"],
    [{ baseUrl: "ftp://127.0.0.1/v1" }, "no valid base URL"],
    [{ baseUrl: "http://user:secret@127.0.0.1/v1" }, "no valid base URL"],
    [{ apiKey: "sk-secret\nkey" }, "an API key that is not valid in a header"],
    [{ apiKey: "sk-secr\u00e9t" }, "an API key that is not valid in a header"],
  ])("sends nothing with %j, and names neither key nor address", async (access, message) => {
    const failure = await Effect.runPromise(
      Effect.flatMap(HarnessService, (harness) => Effect.flip(harness.complete("anyone?"))).pipe(
        Effect.provide(provider.harness({ maxRetries: 3, ...access })),
      ),
    )
    expect(failure.message).toContain(message)
    expect(failure.cause).toMatchObject({ type: "invalid_request_error" })
    expect(JSON.stringify([failure.message, failure.cause])).not.toMatch(/secr|127\.0\.0\.1|not an address/)
  })

  it("accepts a key with the trailing line break of the file that it was read from", async () => {
    provider.set("trimmed", { text: TEXT })
    const layer = provider.harness({ apiKey: `${KEY}\n`, maxRetries: 0 })
    const answer = Effect.flatMap(HarnessService, (harness) => harness.complete("[[script:trimmed]]"))
    expect(await Effect.runPromise(Effect.provide(answer, layer))).toBe(TEXT)
  })

  it("fails at its time limits, which it names", async () => {
    provider.set("slow", { text: TEXT, gate: `${provider.name}-slow` })
    const asked = "[[script:slow]]"
    const [idle, whole] = await Promise.all([
      failures(asked, { maxRetries: 0, timeouts: { firstByteMs: 1, idleMs: 1 } }),
      failures(asked, { maxRetries: 9, timeouts: { totalMs: 1 } }),
    ])
    for (const failure of [...idle, ...whole]) expect(failure.cause).toMatchObject({ type: "timeout_error" })
    for (const failure of idle) expect(failure.message).toMatch(/timeouts\.(firstByteMs|idleMs)/)
    for (const failure of whole) expect(failure.message).toContain("timeouts.totalMs")
  })
})
