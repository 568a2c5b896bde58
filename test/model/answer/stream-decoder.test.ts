import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { RawStreamEvent } from "../../../src/model/messages-api.ts"
import { type Decoded, StreamDecoder } from "../../../src/model/answer/stream-decoder.ts"

type Fields = Record<string, unknown>

const MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5-5",
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 100, cache_read_input_tokens: 7, output_tokens: 1, service_tier: "standard" },
}
const start: RawStreamEvent = { type: "message_start", message: MESSAGE }
const blockStart = (index: number, content_block: Fields): RawStreamEvent => ({
  type: "content_block_start",
  index,
  content_block,
})
const delta = (index: number, fields: Fields): RawStreamEvent => ({ type: "content_block_delta", index, delta: fields })
const blockStop = (index: number): RawStreamEvent => ({ type: "content_block_stop", index })
const ending: ReadonlyArray<RawStreamEvent> = [
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 42, input_tokens: null },
  },
  { type: "message_stop" },
]

const decode = (events: ReadonlyArray<RawStreamEvent>): ReadonlyArray<Decoded> => {
  const decoder = new StreamDecoder()
  return events.flatMap((event) => decoder.push(event) ?? [])
}

/** The finished block that a start and its deltas produce. */
const blockOf = (content_block: Fields, ...deltas: ReadonlyArray<Fields>) => {
  const events = [start, blockStart(0, content_block), ...deltas.map((one) => delta(0, one)), blockStop(0)]
  const finished = decode(events).find((one) => one.kind === "block_finished")
  if (finished === undefined) throw new Error("no block was finished")
  return finished
}

const json = (pieces: ReadonlyArray<string>): ReadonlyArray<Fields> =>
  pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }))

describe("a whole answer", () => {
  it("returns its message, its blocks in order, and how it ended", () => {
    const events = [
      start,
      { type: "ping" },
      blockStart(0, { type: "text", text: "" }),
      delta(0, { type: "text_delta", text: "Hel" }),
      delta(0, { type: "text_delta", text: "lo" }),
      blockStop(0),
      ...ending,
    ]
    expect(decode(events)).toEqual([
      { kind: "message_started", message: MESSAGE },
      { kind: "block_started", index: 0, block: { type: "text", text: "" } },
      { kind: "block_finished", index: 0, block: { type: "text", text: "Hello" }, invalid: false },
      {
        kind: "message_finished",
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 100, cache_read_input_tokens: 7, output_tokens: 42, service_tier: "standard" },
      },
    ])
  })

  it("returns stop details and stop sequences", () => {
    const details = { type: "refusal", category: "cyber", explanation: "no" }
    const [, finished] = decode([
      start,
      { type: "message_delta", delta: { stop_reason: "refusal", stop_sequence: "END", stop_details: details } },
      { type: "message_stop" },
    ])
    expect(finished).toMatchObject({ stop_reason: "refusal", stop_sequence: "END", stop_details: details })
  })
})

describe("blocks", () => {
  it("text gathers citations in addition to its text", () => {
    const citation = { type: "char_location", cited_text: "x", document_index: 0 }
    const { block } = blockOf(
      { type: "text", text: "", citations: [] },
      { type: "text_delta", text: "see" },
      { type: "citations_delta", citation },
    )
    expect(block).toEqual({ type: "text", text: "see", citations: [citation] })
  })

  it("thinking keeps a signature that arrived in two chunks", () => {
    const { block } = blockOf(
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "let ", estimated_tokens: 3 },
      { type: "thinking_delta", thinking: "me" },
      { type: "signature_delta", signature: "EqQB" },
      { type: "signature_delta", signature: "CgIY==" },
    )
    expect(JSON.stringify(block)).toBe('{"type":"thinking","thinking":"let me","signature":"EqQBCgIY=="}')
  })

  it("empty thinking keeps its signature", () => {
    const { block } = blockOf(
      { type: "thinking", thinking: "", signature: "" },
      { type: "signature_delta", signature: "sig" },
    )
    expect(block).toEqual({ type: "thinking", thinking: "", signature: "sig" })
  })

  it.each([
    { type: "redacted_thinking", data: "EmwKAhgB" },
    { data: "x", type: "redacted_thinking", later: { a: [1, null] } },
    { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ type: "web_search_result", url: "u" }] },
    { type: "something_new", z: 1, a: { b: "c" }, input: "a text" },
  ])("%j goes through byte for byte", (block) => {
    expect(JSON.stringify(blockOf(block).block)).toBe(JSON.stringify(block))
  })

  it("a tool call keeps its unknown fields and their order", () => {
    const call = { zeta: true, type: "tool_use", id: "toolu_1", caller: { type: "direct" }, name: "Read", input: {} }
    const { block, invalid } = blockOf(call, ...json(['{"file_', 'path":"/a"}']))
    expect(JSON.stringify(block)).toBe(
      '{"zeta":true,"type":"tool_use","id":"toolu_1","caller":{"type":"direct"},"name":"Read","input":{"file_path":"/a"}}',
    )
    expect(invalid).toBe(false)
  })

  it.each([
    [[], {}],
    [[""], {}],
    [["", "  "], {}],
    [["{}"], {}],
  ])("input pieces %j make %j", (pieces, input) => {
    expect(blockOf({ type: "tool_use", id: "t", name: "LS", input: {} }, ...json(pieces))).toMatchObject({
      block: { input },
      invalid: false,
    })
  })

  it("input that is complete in the start is kept", () => {
    expect(blockOf({ type: "tool_use", id: "t", name: "LS", input: { path: "/" } }).block.input).toEqual({ path: "/" })
    expect(blockOf({ type: "tool_use", id: "t", name: "LS" }).block.input).toEqual({})
  })

  it.each(['{"a": ', "[1]", '"text"', "null", "12", "{a}"])("input %j is reported as unparsable", (raw) => {
    const { block, invalid } = blockOf({ type: "tool_use", id: "t", name: "LS", input: {} }, ...json([raw]))
    expect(block.input).toEqual({ __unparsedToolInput: { raw, len: raw.length } })
    expect(invalid).toBe(true)
  })

  it("unknown deltas, events and strays change nothing", () => {
    const { block } = blockOf(
      { type: "text", text: "" },
      { type: "text_delta", text: "a" },
      { type: "sparkle_delta", sparkle: 1 },
      { type: "text_delta", text: 5 },
    )
    expect(block).toEqual({ type: "text", text: "a" })
    const strays: ReadonlyArray<RawStreamEvent> = [
      { type: "brand_new" },
      { type: "content_block_delta", index: 9, delta: { type: "text_delta", text: "x" } },
      { type: "content_block_delta", index: 0 },
      { type: "content_block_delta", delta: null },
      { type: "content_block_stop", index: 9 },
      { type: "content_block_start", index: "zero", content_block: { type: "text" } },
      { type: "content_block_start", index: 0, content_block: null },
      { type: "message_start" },
      { type: "message_delta" },
    ]
    expect(decode(strays)).toEqual([])
  })

  it("the events and their blocks are not changed", () => {
    const events = [
      start,
      blockStart(0, { type: "text", text: "", citations: [] }),
      delta(0, { type: "text_delta", text: "a" }),
      blockStop(0),
      ...ending,
    ]
    const before = structuredClone(events)
    decode(events)
    expect(events).toEqual(before)
  })
})

/** A text split anywhere, including empty chunks. */
const cut = (text: string, at: ReadonlyArray<number>): ReadonlyArray<string> => {
  const places = [0, ...at.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length]
  return places.slice(1).map((place, index) => text.slice(places[index], place))
}
const cuts = fc.array(fc.nat(10_000), { maxLength: 12 })

/** A tool call's input. The key `__proto__` is rejected, and has tests of its own. */
const anyInput = fc
  .dictionary(fc.string(), fc.jsonValue())
  .filter((input) => !JSON.stringify(input).includes('"__proto__"'))

/** A finished block, with its start and the deltas of one way to split it. */
const anyBlock = fc.oneof(
  fc.tuple(fc.string({ unit: "binary" }), cuts).map(([text, at]) => ({
    block: { type: "text", text },
    start: { type: "text", text: "" },
    deltas: cut(text, at).map((piece): Fields => ({ type: "text_delta", text: piece })),
  })),
  fc
    .tuple(fc.string({ unit: "binary" }), fc.base64String(), cuts, cuts)
    .map(([thinking, signature, at, signatureAt]) => ({
      block: { type: "thinking", thinking, signature },
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        ...cut(thinking, at).map((piece): Fields => ({ type: "thinking_delta", thinking: piece })),
        ...cut(signature, signatureAt).map((piece): Fields => ({ type: "signature_delta", signature: piece })),
      ],
    })),
  fc.tuple(anyInput, cuts).map(([input, at]) => ({
    // As after one JSON round trip, in which -0 becomes 0.
    block: { type: "tool_use", id: "t", name: "X", input: JSON.parse(JSON.stringify(input)) as unknown },
    start: { type: "tool_use", id: "t", name: "X", input: {} },
    deltas: cut(JSON.stringify(input), at).map((piece): Fields => ({ type: "input_json_delta", partial_json: piece })),
  })),
  fc
    .record({ type: fc.constant("redacted_thinking"), data: fc.base64String() })
    .map((block) => ({ block, start: block, deltas: [] as Array<Fields> })),
)
const anyAnswer = fc.array(anyBlock, { minLength: 1, maxLength: 4 })

const eventsOf = (
  blocks: ReadonlyArray<{ start: Fields; deltas: ReadonlyArray<Fields> }>,
): ReadonlyArray<RawStreamEvent> => [
  start,
  ...blocks.flatMap((one, index) => [
    blockStart(index, one.start),
    ...one.deltas.map((fields) => delta(index, fields)),
    blockStop(index),
  ]),
  ...ending,
]

describe("properties", () => {
  it("any split of the deltas produces the same blocks", () => {
    fc.assert(
      fc.property(anyAnswer, (blocks) => {
        const finished = decode(eventsOf(blocks)).filter((one) => one.kind === "block_finished")
        expect(finished.map((one) => one.block)).toEqual(blocks.map((one) => one.block))
      }),
    )
  })

  it("a client that joins anywhere decodes the rest like one that received everything", () => {
    fc.assert(
      fc.property(anyAnswer, fc.nat(), (blocks, place) => {
        const events = eventsOf(blocks)
        const at = place % (events.length + 1)
        const seen = new StreamDecoder()
        for (const event of events.slice(0, at)) seen.push(event)
        const late = decode([...seen.partial(), ...events.slice(at)])
        const finishedLater = decode(events).filter(
          (one) => one.kind === "block_finished" && events.indexOf(blockStopOf(events, one.index)) >= at,
        )
        expect(late.filter((one) => one.kind === "block_finished")).toEqual(finishedLater)
      }),
    )
  })
})

const blockStopOf = (events: ReadonlyArray<RawStreamEvent>, index: number): RawStreamEvent => {
  const found = events.find((event) => event.type === "content_block_stop" && event.index === index)
  if (found === undefined) throw new Error("the block has no stop")
  return found
}

describe("the decoded state in the middle of an answer", () => {
  it("is nothing before the message, and the open blocks in it", () => {
    const decoder = new StreamDecoder()
    expect(decoder.partial()).toEqual([])
    expect(decoder.message).toBeNull()
    decoder.push(start)
    expect(decoder.partial()).toEqual([start])
    expect(decoder.message).toEqual(MESSAGE)
    expect(decoder.openText()).toBeNull()
    decoder.push(blockStart(0, { type: "text", text: "" }))
    expect(decoder.partial()).toEqual([start, blockStart(0, { type: "text", text: "" })])
    expect(decoder.openText()).toBe("")
    decoder.push(delta(0, { type: "text_delta", text: "Hel" }))
    decoder.push(delta(0, { type: "text_delta", text: "lo" }))
    expect(decoder.openText()).toBe("Hello")
    expect(decoder.partial().at(-1)).toEqual(delta(0, { type: "text_delta", text: "Hello" }))
    expect(decoder.usage).toMatchObject({ input_tokens: 100, output_tokens: 1 })
    decoder.push(blockStop(0))
    expect(decoder.openText()).toBeNull()
    expect(decoder.partial()).toEqual([start])
  })
})

describe("the estimate of received tokens", () => {
  it("is a quarter of the characters of texts, thinking, and names and input of calls, finished or not", () => {
    const decoder = new StreamDecoder()
    const counts = [
      start,
      blockStart(0, { type: "text", text: "" }),
      delta(0, { type: "text_delta", text: "x".repeat(15) }),
      blockStop(0),
      blockStart(1, { type: "thinking", thinking: "", signature: "" }),
      delta(1, { type: "thinking_delta", thinking: "x".repeat(24) }),
      delta(1, { type: "signature_delta", signature: "x".repeat(400) }),
      blockStart(2, { type: "tool_use", id: "t", name: "Read", input: {} }),
      delta(2, { type: "input_json_delta", partial_json: '{"a":"b' }),
      start,
    ].map((event) => {
      decoder.push(event)
      return decoder.estimatedOutputTokens
    })
    expect(counts).toEqual([0, 0, 4, 4, 4, 10, 10, 11, 13, 0])
  })

  it("is at most the request's max_tokens", () => {
    const decoder = new StreamDecoder(100)
    decoder.push(start)
    decoder.push(blockStart(0, { type: "text", text: " ".repeat(1000) }))
    decoder.push(delta(0, { type: "text_delta", text: " ".repeat(1000) }))
    expect(decoder.estimatedOutputTokens).toBe(100)
  })
})
