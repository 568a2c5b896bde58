import { describe, expect, it } from "vitest"
import { immutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"
import { anyMessage } from "../../../src/model/conversation-cache/any-message.ts"

const userMessage = (content: string) => immutableMessage({ role: "user" as const, content })

/** The test whether a message is about cats, and the messages that were tested. */
const cats = () => {
  const asked: Array<unknown> = []
  const some = anyMessage((message) => {
    asked.push(message.content)
    return String(message.content).includes("cat")
  })
  return { some, asked: () => asked.splice(0) }
}

describe("a predicate over the messages of a conversation", () => {
  it("is applied to each message once, while none matches", () => {
    const { some, asked } = cats()
    const messages = [userMessage("a"), userMessage("b")]
    expect(some(messages)).toBe(false)
    expect(asked()).toEqual(["a", "b"])
    expect(some([...messages, userMessage("c")])).toBe(false)
    expect(asked()).toEqual(["c"])
  })

  it("is applied again to a message in the middle that was replaced", () => {
    const { some, asked } = cats()
    const [first, middle, last] = [userMessage("a"), userMessage("b"), userMessage("c")]
    expect(some([first, middle, last])).toBe(false)
    asked()
    expect(some([first, userMessage("a cat"), last])).toBe(true)
    expect(some([first, middle, last])).toBe(false)
    expect(some([first, last])).toBe(false)
  })

  it("is applied again to a conversation that starts with another message, and never to an empty one", () => {
    const { some, asked } = cats()
    const shared = userMessage("b")
    expect(some([userMessage("a"), shared])).toBe(false)
    expect(some([userMessage("x"), shared])).toBe(false)
    expect(asked()).toEqual(["a", "b", "x", "b"])
    expect(some([])).toBe(false)
    expect(some([userMessage("cat")])).toBe(true)
    expect(some([userMessage("cat")])).toBe(true)
  })
})
