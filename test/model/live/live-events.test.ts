// How the events of a network chunk are passed on.
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { CallClock, LiveCall } from "../../../src/model/live/live-call.ts"
import { pullEvents } from "../../../src/model/live/live-events.ts"
import { DEFAULT_TIMEOUTS } from "../../../src/model/live/model-timeouts.ts"

const delta = (index: number, piece: object) => ({ type: "content_block_delta", index, delta: piece })
const text = (piece: string) => delta(0, { type: "text_delta", text: piece })
const BEGIN = [
  { type: "message_start", message: {} },
  { type: "content_block_start", index: 0, content_block: {} },
]
const END = [{ type: "content_block_stop", index: 0 }, { type: "message_stop" }]

type Chunks = ReadonlyArray<ReadonlyArray<{ readonly type: string }>>

const streamOf = (chunks: Chunks) => {
  const bytes = chunks.map((events) =>
    new TextEncoder().encode(events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("")),
  )
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of bytes) controller.enqueue(chunk)
      controller.close()
    },
  })
  return pullEvents(body.getReader(), null, new LiveCall(new CallClock(), DEFAULT_TIMEOUTS))
}

/** The number of events of an answer that arrives in these chunks, or its failure. */
const eventsOf = (chunks: Chunks) => {
  const { next } = streamOf(chunks)
  return Effect.gen(function* () {
    let count = 0
    for (let batch = yield* next; batch !== null; batch = yield* next) count += batch.length
    return count
  })
}

/** The batches of an answer whose events arrive in these chunks, and how often a timer fired before each. */
const batchesOf = async (...chunks: Chunks) => {
  const stream = streamOf(chunks)
  const batches: Array<ReadonlyArray<string>> = []
  const timers: Array<boolean> = []
  for (;;) {
    let wentOff = false
    setTimeout(() => {
      wentOff = true
    }, 0)
    const batch = await Effect.runPromise(stream.next)
    if (batch === null) return { batches, timers }
    batches.push(batch.map(({ type }) => type))
    timers.push(wentOff)
  }
}

const types = (events: ReadonlyArray<{ readonly type: string }>) => events.map(({ type }) => type)

it("an answer without end is read up to 10,000 blocks", async () => {
  const block = (index: number) => [
    { type: "content_block_start", index, content_block: { type: "text", text: "" } },
    { type: "content_block_stop", index },
  ]
  const endless = Array.from({ length: 10_001 }, (_, index) => block(index)).flat()
  const failure = Effect.flip(eventsOf([[{ type: "message_start" }, ...endless]]))
  expect(await Effect.runPromise(failure)).toMatchObject({ message: "The model's answer had too many blocks." })
})

describe("a chunk of an answer", () => {
  it("is split after the first text, and the rest follows when that had time to be sent", async () => {
    const { batches, timers } = await batchesOf([...BEGIN, text("a"), text("b"), ...END])
    expect(batches).toEqual([types([...BEGIN, text("a")]), types([text("b"), ...END])])
    expect(timers).toEqual([false, true])
  })

  it("is not split if nothing follows its first text, and if the answer had text before", async () => {
    const { batches, timers } = await batchesOf([...BEGIN, text("a")], [text("b"), text("c")], [text("d"), ...END])
    expect(batches).toEqual([types([...BEGIN, text("a")]), types([text("b"), text("c")]), types([text("d"), ...END])])
    expect(timers).toEqual([false, false, false])
  })

  it("is not split without text: a call starts at once", async () => {
    const input = delta(0, { type: "input_json_delta", partial_json: "{}" })
    const { batches, timers } = await batchesOf([...BEGIN, input, ...END])
    expect(batches).toEqual([types([...BEGIN, input, ...END])])
    expect(timers).toEqual([false])
  })
})

describe("an answer that no model sent", () => {
  const failureOf = (...events: ReadonlyArray<{ readonly type: string }>) =>
    Effect.runPromise(Effect.flip(eventsOf([events])))
  const reason = (value: string | null) => ({ type: "message_delta", delta: { stop_reason: value } })
  const start = { type: "message_start", message: {} }
  const stop = { type: "message_stop" }

  it("is unreadable without a beginning, and without both blocks and a stop reason", async () => {
    expect(await failureOf(...BEGIN.slice(1), ...END)).toMatchObject({ type: "unreadable_answer" })
    expect(await failureOf(start, stop)).toMatchObject({ type: "unreadable_answer" })
    expect(await failureOf(start, reason(null), stop)).toMatchObject({ type: "unreadable_answer" })
    expect(await Effect.runPromise(eventsOf([[start, reason("end_turn"), stop]]))).toBe(3)
  })

  it("is read up to its end if a gateway adds data without the name of an event, as recorded", async () => {
    const done = { type: "message", toJSON: () => undefined }
    expect(await Effect.runPromise(eventsOf([[...BEGIN, done, ...END]]))).toBe(4)
  })
})
