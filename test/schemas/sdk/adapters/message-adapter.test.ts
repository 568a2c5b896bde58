// SDKMessages → parts → SDKMessages, over recorded and generated conversations: everything round-trips, except what
// message-adapter.ts lists as lost.
import fs from "node:fs"
import path from "node:path"
import fc from "fast-check"
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Message } from "../../../../src/schemas/parts.ts"
import { partsToSdkMessages, type SdkMessage } from "../../../../src/schemas/sdk/adapters/message-adapter.ts"
import { decodeSdkMessage } from "../../../../src/schemas/sdk/messages/messages.ts"
import { canonicalToolName } from "../../../../src/schemas/sdk/tools/tool-names.ts"
import { toolSchemas } from "../../../../src/schemas/sdk/tools/tool-schemas.ts"
import { projectParts } from "../../../support/values/project-parts.ts"
import { sdkMessagesToEvents } from "../../../../src/views/parts/sdk-parts.ts"

const SESSION = "01a2006d-24c2-7fca-854d-a012e7f6351c"
const RECORDED = path.resolve(import.meta.dirname, "../../../conformance/fixtures/messages")

type Json = Readonly<Record<string, unknown>>
type Block = Json & { readonly type: string }

const uuids = () => {
  let count = 0
  return () => `00000000-0000-4000-8000-${String((count += 1)).padStart(12, "0")}`
}

/** A round trip; the intermediate value must match the parts schema. */
const roundTrip = (messages: ReadonlyArray<SdkMessage>): ReadonlyArray<SdkMessage> => {
  const parts = projectParts(SESSION, sdkMessagesToEvents(SESSION, messages))
  Schema.decodeUnknownSync(Schema.Array(Message))(parts, { onExcessProperty: "error" })
  return partsToSdkMessages(parts, uuids())
}

const blocksOf = (message: SdkMessage): ReadonlyArray<Block> => {
  const content = (message["message"] as { content: string | ReadonlyArray<Block> }).content // of assistant and user
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

/** A block without the fields that are listed as lost. */
const kept = (block: Block): unknown => {
  if (block.type === "text") return { type: "text", text: block["text"] }
  if (!block.type.endsWith("tool_use")) return block
  const name = canonicalToolName(String(block["name"]))
  const known = Object.hasOwn(toolSchemas, name) || name.startsWith("mcp__")
  return { id: block["id"], name: known ? name : name.toLowerCase(), input: block["input"] }
}

const keptResult = (block: Block): unknown => {
  const content = block["content"] ?? ""
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content as ReadonlyArray<Block>)
  return {
    text: blocks.flatMap((one) => (one.type === "text" ? [one["text"]] : [])).join("\n"),
    files: blocks.filter((one) => one.type !== "text"),
    failed: block["is_error"] === true,
  }
}

/** What must be preserved: every block and user text in order with its thread, and every result with its structured form. */
const essence = (messages: ReadonlyArray<SdkMessage>) => {
  const blocks: Array<unknown> = []
  const results: Record<string, unknown> = {}
  for (const message of messages) {
    if (message.type !== "assistant" && message.type !== "user") continue
    const thread = message["parent_tool_use_id"] ?? null
    for (const block of blocksOf(message)) {
      if (block.type !== "tool_result") blocks.push({ type: message.type, thread, block: kept(block) })
      else {
        const structured = message["tool_use_result"]
        results[String(block["tool_use_id"])] = { ...Object(keptResult(block)), thread, structured }
      }
    }
  }
  return { blocks, results }
}

const expectOrder = (messages: ReadonlyArray<SdkMessage>) => {
  const open = new Set<unknown>()
  for (const message of messages.filter(({ type }) => type === "assistant" || type === "user")) {
    for (const block of blocksOf(message)) {
      if (block.type === "tool_use") open.add(block["id"])
      if (block.type === "tool_result") expect(open.delete(block["tool_use_id"])).toBe(true)
    }
  }
}

describe("recorded conversations", () => {
  const files = fs.readdirSync(RECORDED).filter((name) => name.endsWith(".json"))

  it.each(files)("%s keeps messages and tool results", (name) => {
    // The recorder wrote it.
    const { messages } = JSON.parse(fs.readFileSync(path.join(RECORDED, name), "utf8")) as {
      messages: ReadonlyArray<SdkMessage>
    }
    const back = roundTrip(messages)
    expect(essence(back)).toEqual(essence(messages))
    expectOrder(back)
    for (const message of back) {
      const decoded = decodeSdkMessage(message)
      expect(Result.isSuccess(decoded), JSON.stringify(message)).toBe(true)
    }
    // A second round trip loses nothing more.
    expect(essence(roundTrip(back))).toEqual(essence(back))
  })

  it("are all present", () => expect(files.length).toBeGreaterThan(60))
})

// ---- generated conversations

const word = fc.string({ maxLength: 20 })
const image = fc.constantFrom("image/png", "image/jpeg").map((media_type) => ({
  type: "image",
  source: { type: "base64", media_type, data: "AAAA" },
}))
const documentBlock = fc.oneof(
  word.map((data) => ({ type: "document", title: "notes", source: { type: "text", media_type: "text/plain", data } })),
  fc.constant({ type: "document", source: { type: "url", url: "https://example.com/a.pdf" } }),
  fc.constant({ type: "document", source: { type: "file", file_id: "file_1" } }),
)
const textBlock = word.map((text) => ({ type: "text", text }))

interface Shape {
  readonly prompt: ReadonlyArray<Block>
  readonly answers: ReadonlyArray<{
    readonly blocks: ReadonlyArray<{ readonly kind: string; readonly text: string; readonly name: string }>
    readonly results: ReadonlyArray<{ readonly failed: boolean; readonly content: string | ReadonlyArray<Block> }>
    readonly early: boolean
    readonly sub: boolean
  }>
  readonly compacted: boolean
}

const answer = fc.record({
  blocks: fc.array(
    fc.record({
      kind: fc.constantFrom("text", "thinking", "redacted", "call", "call"),
      text: word,
      name: fc.constantFrom("Read", "TodoWrite", "LS", "Agent", "mcp__files__Read", "WebFetch", "AskUserQuestion"),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  results: fc.array(
    fc.record({
      failed: fc.boolean(),
      content: fc.oneof(
        word,
        fc.array(image, { minLength: 1, maxLength: 2 }),
        fc.tuple(
          textBlock.filter(({ text }) => text !== ""),
          image,
        ),
      ),
    }),
    { minLength: 5, maxLength: 5 },
  ),
  early: fc.boolean(),
  sub: fc.boolean(),
})

const turn: fc.Arbitrary<Shape> = fc.record({
  prompt: fc.array(fc.oneof(textBlock, image, documentBlock), { minLength: 1, maxLength: 3 }),
  answers: fc.array(answer, { maxLength: 4 }),
  compacted: fc.boolean(),
})

/** The messages of a turn of this shape. */
const conversation = (turns: ReadonlyArray<Shape>): ReadonlyArray<SdkMessage> => {
  const messages: Array<SdkMessage> = []
  const newUuid = uuids()
  let time = Date.UTC(2026, 0, 1)
  let calls = 0
  let requests = 0
  const say = (message: SdkMessage, thread: string | null = null) =>
    messages.push({
      ...message,
      session_id: SESSION,
      uuid: newUuid(),
      timestamp: new Date((time += 1)).toISOString(),
      parent_tool_use_id: thread,
    })
  const piece = (id: string, block: Block, thread: string | null) =>
    say(
      {
        type: "assistant",
        message: { id, type: "message", role: "assistant", model: "m", content: [block], stop_reason: null, usage: {} },
      },
      thread,
    )
  for (const { prompt, answers, compacted } of turns) {
    say({ type: "user", message: { role: "user", content: prompt } })
    say({ type: "system", subtype: "init", model: "m", permissionMode: "default", cwd: "/workspace" })
    if (compacted) say({ type: "system", subtype: "compact_boundary", compact_metadata: { trigger: "auto" } })
    for (const { blocks, results, early, sub } of answers) {
      const id = `msg_${(requests += 1)}`
      const open: Array<() => void> = []
      blocks.forEach(({ kind, text, name }, index) => {
        if (kind === "text") piece(id, { type: "text", text }, null)
        if (kind === "thinking") piece(id, { type: "thinking", thinking: text, signature: `s${text}` }, null)
        if (kind === "redacted") piece(id, { type: "redacted_thinking", data: text }, null)
        if (kind !== "call") return
        const use = `toolu_${(calls += 1)}`
        piece(id, { type: "tool_use", id: use, name, input: { text } }, null)
        const { failed, content } = results[index % results.length]!
        const settle = () => {
          if (sub && name === "Agent") {
            say({ type: "user", message: { role: "user", content: [{ type: "text", text: "sub" }] } }, use)
            piece(`msg_${(requests += 1)}`, { type: "text", text: `inside ${text}` }, use)
          }
          // A failed result is a text; the SDK has no other form.
          const given = failed ? `failed ${text}` : content
          const block = { tool_use_id: use, type: "tool_result", content: given, ...(failed ? { is_error: true } : {}) }
          say({ type: "user", message: { role: "user", content: [block] }, tool_use_result: { given: text } })
        }
        if (early && !sub) settle()
        else open.push(settle)
      })
      for (const settle of open) settle()
    }
    say({ type: "result", subtype: "success", is_error: false, result: "" })
  }
  return messages
}

describe("generated conversations", () => {
  it("keep every block, result, file and thread", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 3 }), (turns) => {
        const messages = conversation(turns)
        const back = roundTrip(messages)
        expect(essence(back)).toEqual(essence(messages))
        expectOrder(back)
        expect(essence(roundTrip(back))).toEqual(essence(back))
      }),
      { numRuns: 500 },
    )
  })
})

describe("what is lost", () => {
  const [prompt, init, compact] = conversation([
    { prompt: [{ type: "text", text: "Hi" }], answers: [], compacted: true },
  ])

  it("is the session's own messages, but not a compaction, which only loses its counts", () => {
    const back = roundTrip([init!, prompt!, compact!, { type: "stream_event" }, { type: "system", subtype: "status" }])
    expect(back.map(({ type, subtype }) => [type, subtype])).toEqual([
      ["user", undefined],
      ["system", "compact_boundary"],
    ])
    expect(back[1]).toMatchObject({ compact_metadata: { trigger: "auto", pre_tokens: 0 } })
  })

  it("is the exact kind of an error, and an answer's ids", () => {
    const failed = {
      type: "assistant",
      message: { id: "msg_1", model: "<synthetic>", content: [{ type: "text", text: "No key." }], usage: {} },
      error: "account_on_hold",
      request_id: "req_1",
      uuid: "u",
      session_id: SESSION,
    }
    const [, back] = roundTrip([prompt!, failed])
    expect(back).toMatchObject({
      error: "authentication_failed",
      uuid: "u",
      message: { content: [{ text: "No key." }] },
    })
    expect(back).not.toHaveProperty("request_id")
    expect(back?.["message"]).not.toMatchObject({ id: "msg_1" })
  })

  it("is a call's kind, citations, and the name of an unknown tool", () => {
    const answer = (block: Block): SdkMessage => ({
      type: "assistant",
      message: { id: "msg_1", model: "m", content: [block] },
    })
    const back = roundTrip([
      prompt!,
      answer({ type: "text", text: "a", citations: [{}] }),
      answer({ type: "server_tool_use", id: "s1", name: "web_search", input: {} }),
      answer({ type: "tool_use", id: "t1", name: "MyTool", input: {} }),
      answer({ type: "container_upload", file_id: "f" }),
    ])
    expect(back.slice(1).flatMap(blocksOf)).toEqual([
      { type: "text", text: "a" },
      { type: "tool_use", id: "s1", name: "web_search", input: {} },
      { type: "tool_use", id: "t1", name: "MyTool", input: {} },
    ])
  })
})
