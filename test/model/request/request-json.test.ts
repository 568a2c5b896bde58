import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { MessagesRequest } from "../../../src/model/messages-api.ts"
import { RequestWriter } from "../../../src/model/request/request-json.ts"

type Message = MessagesRequest["messages"][number]

const requestOf = (messages: ReadonlyArray<Message>): MessagesRequest => ({
  model: "m",
  max_tokens: 10,
  system: [{ type: "text", text: 'quotes " and ü' }],
  messages,
  tools: [{ name: "Read" }, { name: "Bash" }],
  metadata: { user_id: "u" },
})

const message = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] })

const written = (writer: RequestWriter, request: MessagesRequest, stream = true): unknown =>
  JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(writer.write(request, stream).body))

describe("the body", () => {
  it("is the request as JSON, with `stream`", () => {
    const request = requestOf([message("a"), message("é → 🐦"), message("c")])
    expect(written(new RequestWriter(), request)).toEqual({ ...request, stream: true })
    expect(written(new RequestWriter(), request, false)).toEqual({ ...request, stream: false })
  })

  it("keeps the order of a message's keys, and each message unchanged", () => {
    const odd = { content: [{ z: 1, type: "odd", a: [null, { y: "\u2028" }] }], role: "assistant" as const }
    const text = new TextDecoder().decode(new RequestWriter().write(requestOf([odd, odd, odd, odd]), true).body)
    expect(text.split(JSON.stringify(odd))).toHaveLength(5)
  })

  it("may have no tools", () => {
    const { tools: _, ...request } = requestOf([message("a")])
    expect(written(new RequestWriter(), request)).toEqual({ ...request, stream: true })
  })

  it("omits undefined fields", () => {
    // A caller without exact optional types may pass one.
    const request = { ...requestOf([]), tool_choice: undefined } as unknown as MessagesRequest
    expect(written(new RequestWriter(), request)).toStrictEqual({ ...requestOf([]), stream: true })
  })

  it("is correct after a conversation is continued, cut, or replaced", () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), text: fc.string({ unit: "binary" }) }),
      fc.record({ kind: fc.constant("replace" as const), at: fc.nat(), text: fc.string({ unit: "binary" }) }),
      fc.record({ kind: fc.constant("cut" as const), at: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const writer = new RequestWriter()
        let messages: ReadonlyArray<Message> = []
        for (const one of changes) {
          if (one.kind === "add") messages = [...messages, message(one.text)]
          else if (one.kind === "cut") messages = messages.slice(0, one.at % (messages.length + 1))
          else if (messages.length > 0) messages = messages.with(one.at % messages.length, message(one.text))
          const request = requestOf(messages)
          expect(written(writer, request)).toEqual({ ...request, stream: true })
        }
      }),
    )
  })
})
