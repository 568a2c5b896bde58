// Model servers that stall, in any way: every turn ends within the limits of its options, names the limit, and bills what was
// used.
import { createServer, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { until } from "../../support/session/loop.ts"
import { eventsOf, problemsOf, prompt, SessionHarness } from "../../support/session/session-harness.ts"

type Manner = (answer: ServerResponse, body: { readonly stream?: boolean }) => void

const PING = 'event: ping\ndata: {"type":"ping"}\n\n'
const frame = (event: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const START = frame({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
})
const TEXT_START = frame({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } })
const TEXT = frame({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "word " } })
const TEXT_STOP = frame({ type: "content_block_stop", index: 0 })

const begin = (answer: ServerResponse): void => {
  answer.writeHead(200, { "content-type": "text/event-stream" })
  answer.flushHeaders()
}

/** Sends `first`, then `again` repeatedly while the client listens. */
const drip =
  (first: string, again: string, everyMs = 200): Manner =>
  (answer) => {
    begin(answer)
    answer.write(first)
    const timer = setInterval(() => answer.write(again), everyMs)
    answer.on("close", () => clearInterval(timer))
  }

const MANNERS: Readonly<Record<string, Manner>> = {
  "never-answers": () => undefined,
  "headers-alone": begin,
  "pings-alone": drip("", PING),
  "comments-alone": drip("", ": keep-alive\n\n"),
  "half-an-event": drip('event: message_start\ndata: {"type":', " "),
  "silence-after-start": (answer) => {
    begin(answer)
    answer.write(START)
  },
  "pings-after-start": drip(START, PING),
  "silence-after-text": (answer) => {
    begin(answer)
    answer.write(START + TEXT_START + TEXT + TEXT_STOP)
  },
  "words-for-ever": drip(START + TEXT_START, TEXT),
  "overloaded-for-long": (answer) => {
    answer.writeHead(529, { "content-type": "application/json", "retry-after": "600" })
    answer.end(JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "later" } }))
  },
  "whole-never-answers": (answer, { stream }) => {
    if (stream !== true) return
    answer.writeHead(404, { "content-type": "application/json" })
    answer.end(JSON.stringify({ type: "error", error: { type: "not_found_error", message: "no streams here" } }))
  },
}

let server: Server
let url: string
const seen: Array<string> = []

beforeAll(async () => {
  server = createServer((request, answer) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      const manner = Object.keys(MANNERS).find((name) => text.includes(`manner ${name}.`)) ?? ""
      seen.push(manner)
      MANNERS[manner]?.(answer, JSON.parse(text) as { stream?: boolean })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})

const run = async (manner: string, options: SessionOptions) => {
  const harness = new SessionHarness(url, options)
  const booted = harness.boot()
  const turn = prompt(booted.session, `manner ${manner}.`)
  await booted.session.turnWaits.wait(turn, 50_000)
  const events = eventsOf(booted.log)
  const named = (name: string) => events.filter((event) => event.name.startsWith(name)).map(({ payload }) => payload)
  await harness.dispose()
  const problems = problemsOf(events, [turn])
  return { manner, problems, result: named("sdk:result")[0], retries: named("sdk:system/api_retry") }
}

const FIRST = "did not start to respond in time"
const IDLE = "sent no part of its answer for too long"
const TOTAL = "was not complete in time"

/** One limit is short: each is checked once a second, and a stalled server is called twice, half a second apart. */
const BEGIN = { model_first_byte_timeout_ms: 1000, model_idle_timeout_ms: 20_000, model_timeout_ms: 60_000 } as const
const GO_ON = { model_first_byte_timeout_ms: 20_000, model_idle_timeout_ms: 1000, model_timeout_ms: 60_000 } as const
const SOON = { model_timeout_ms: 2000 }

const CASES = [
  { manner: "headers-alone", options: GO_ON, text: IDLE, requests: 2 },
  { manner: "pings-alone", options: GO_ON, text: IDLE, requests: 2 },
  { manner: "comments-alone", options: GO_ON, text: IDLE, requests: 2 },
  { manner: "half-an-event", options: { ...GO_ON, max_retries: 0 }, text: IDLE, requests: 1 },
  { manner: "silence-after-start", options: GO_ON, text: IDLE, requests: 2 },
  { manner: "pings-after-start", options: GO_ON, text: IDLE, requests: 2 },
  // Each of four answers kept its text and was continued.
  { manner: "silence-after-text", options: GO_ON, text: IDLE, requests: 4 },
  // A step's own limit leaves no time for another attempt, nor for the delay that the server requests.
  { manner: "words-for-ever", options: SOON, text: TOTAL, requests: 1 },
  { manner: "overloaded-for-long", options: SOON, text: "529", requests: 1 },
  // Last: while other sessions start, this process sends no request, and the limit of the first byte includes that time.
  { manner: "never-answers", options: BEGIN, text: FIRST, requests: 2 },
  { manner: "whole-never-answers", options: BEGIN, text: FIRST, requests: 3 },
] as const

describe("a model server that stalls", () => {
  let runs: ReadonlyArray<Awaited<ReturnType<typeof run>>>

  beforeAll(async () => {
    const started: Array<ReturnType<typeof run>> = []
    for (const { manner, options } of CASES) {
      started.push(run(manner, options))
      await until(() => seen.includes(manner))
    }
    runs = await Promise.all(started)
  }, 60_000)

  const runOf = (name: string) => {
    const found = runs.find(({ manner }) => manner === name)
    if (found === undefined) throw new Error(`${name} was not run`)
    return found
  }

  it.each(CASES)("$manner: the turn ends in one result that names the limit", ({ manner, text, requests }) => {
    const { problems, result } = runOf(manner)
    expect(problems).toEqual([])
    expect(result).toMatchObject({ subtype: "success", is_error: true, result: expect.stringContaining(text) })
    expect(seen.filter((name) => name === manner)).toHaveLength(requests)
  })

  it("is retried once, and clients are notified as by the official SDK", () => {
    expect(runOf("never-answers").retries).toMatchObject([
      { attempt: 1, max_retries: 1, error_status: null, no_response: { waited_ms: 1000, retry_wait_ms: 1000 } },
    ])
    expect(runOf("pings-alone").retries).toMatchObject([{ attempt: 1, max_retries: 1 }])
    expect(runOf("pings-alone").retries[0]).not.toHaveProperty("no_response")
  })
})
