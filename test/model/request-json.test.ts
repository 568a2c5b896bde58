import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { MessagesRequest } from "../../src/model/messages-api.ts"
import { RequestWriter } from "../../src/model/request-json.ts"

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

describe("the body", () => {
  it("is the JSON of the request with `stream` behind it", () => {
    const request = requestOf([message("a"), message("b"), message("c")])
    expect(new RequestWriter().write(request, true)).toBe(JSON.stringify({ ...request, stream: true }))
    expect(new RequestWriter().write(request, false)).toBe(JSON.stringify({ ...request, stream: false }))
  })

  it("leaves out what is undefined", () => {
    // A caller without exact optional types may pass one.
    const request = { ...requestOf([]), tool_choice: undefined } as unknown as MessagesRequest
    expect(new RequestWriter().write(request, true)).toBe(JSON.stringify({ ...request, stream: true }))
  })

  it("is right after any way that a conversation goes on, is cut, or becomes another", () => {
    const change = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), text: fc.string() }),
      fc.record({ kind: fc.constant("replace" as const), at: fc.nat(), text: fc.string() }),
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
          expect(writer.write(request, true)).toBe(JSON.stringify({ ...request, stream: true }))
        }
      }),
    )
  })
})
