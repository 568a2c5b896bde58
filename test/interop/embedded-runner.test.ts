// runEmbeddedAgent and its server: queued runs, and servers that stall.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { runEmbeddedAgent } from "../../src/interop/embedded-runner.ts"

const RESULT = { meta: { durationMs: 1, stopReason: "completed" } }
const DONE = `data: ${JSON.stringify({ type: "result", result: RESULT })}\n\n`

/** An answer that starts and stays open. */
const opened = (text: string) =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(text)) }))

/** Answers each request to `/v1/runs` with the result of `answer`; aborts are accepted at once. */
const serverOf = (answer: (attempt: number, signal: AbortSignal) => Response | Promise<Response>) => {
  let attempts = 0
  const send: typeof fetch = async (input, init) => {
    if (String(input).endsWith("/abort")) return Response.json({})
    attempts += 1
    return answer(attempts, init!.signal!)
  }
  return { url: "https://perch.test", apiKey: "key", fetch: send, attempts: () => attempts }
}

const run = (perch: ReturnType<typeof serverOf>, sessionId: string, signal?: AbortSignal) =>
  runEmbeddedAgent({
    perch,
    sessionId,
    runId: crypto.randomUUID(),
    prompt: "go",
    timeoutMs: 60_000,
    ...(signal === undefined ? {} : { abortSignal: signal }),
  })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("a run that is queued behind another one of its session", () => {
  it("ends at once when it is aborted, and is never sent", async () => {
    const first = Promise.withResolvers<Response>()
    const perch = serverOf(() => first.promise)
    const running = run(perch, "waiting")
    const stop = new AbortController()
    const waiting = run(perch, "waiting", stop.signal)
    stop.abort()
    expect(await waiting).toEqual({ meta: { durationMs: 0, aborted: true } })
    first.resolve(opened(DONE))
    expect(await running).toEqual(RESULT)
    expect(perch.attempts()).toBe(1)
    const third = serverOf(() => opened(DONE))
    expect(await run(third, "waiting")).toEqual(RESULT)
  })
})

describe("a server that stalls", () => {
  it("inside the stream is called again after 45 seconds", async () => {
    const perch = serverOf((attempt) => opened(attempt === 1 ? ": connected\n\n" : DONE))
    const result = run(perch, "silent stream")
    await vi.advanceTimersByTimeAsync(44_000)
    expect(perch.attempts()).toBe(1)
    await vi.advanceTimersByTimeAsync(2000)
    expect(await result).toEqual(RESULT)
    expect(perch.attempts()).toBe(2)
  })

  it("before its answer is called again after 45 seconds", async () => {
    const perch = serverOf((attempt, signal) =>
      attempt > 1
        ? opened(DONE)
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    )
    const result = run(perch, "silent server")
    await vi.advanceTimersByTimeAsync(46_000)
    expect(await result).toEqual(RESULT)
    expect(perch.attempts()).toBe(2)
  })
})

describe("the server of a run", () => {
  it.each([
    ["x", "key", 'perch.url: must be an http or https address. Got "x".'],
    ["ftp://perch.test", "key", 'perch.url: must be an http or https address. Got "ftp://perch.test".'],
    ["https://perch.test", "", "perch.apiKey: must be the key of a Perch server."],
    ["https://perch.test", "a\nb", "perch.apiKey: must be the key of a Perch server."],
  ])("is rejected at once if it can't be used: %j %j", async (url, apiKey, message) => {
    const perch = serverOf(() => opened(DONE))
    await expect(run({ ...perch, url, apiKey }, "unusable")).rejects.toMatchObject({
      name: "EmbeddedRunError",
      message,
    })
    expect(perch.attempts()).toBe(0)
  })

  it("may be below a path", async () => {
    const urls: Array<string> = []
    const perch = serverOf(() => opened(DONE))
    const send: typeof fetch = (input, init) => {
      urls.push(String(input))
      return perch.fetch(input, init)
    }
    expect(await run({ ...perch, url: "https://perch.test/base/", fetch: send }, "below")).toEqual(RESULT)
    expect(urls).toEqual(["https://perch.test/base/v1/runs"])
  })

  it("is named in the error when it can't be reached", async () => {
    const refused = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") })
    const result = run(
      serverOf(() => Promise.reject(refused)),
      "away",
    )
    const rejected = expect(result).rejects.toThrow(
      "Perch at https://perch.test cannot be reached: connect ECONNREFUSED",
    )
    await vi.advanceTimersByTimeAsync(60_000)
    await rejected
  })
})
