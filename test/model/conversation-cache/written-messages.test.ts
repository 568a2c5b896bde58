// Whatever happens to a conversation between two requests, what the caches give is what would be made without them.
import fc from "fast-check"
import { expect, it } from "vitest"
import { anyMessage } from "../../../src/model/conversation-cache/any-message.ts"
import { type ImmutableMessage, immutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"
import { memoizeMessage } from "../../../src/model/conversation-cache/memoize-message.ts"
import { MessageWriter } from "../../../src/model/conversation-cache/written-messages.ts"

const message = (content: string): ImmutableMessage => immutableMessage({ role: "user", content })
const hasCat = ({ content }: ImmutableMessage) => String(content).includes("cat")
const signed = (given: ImmutableMessage, key: string) => message(`${String(given.content)} ${key}`)

/** What happens between two requests: messages are added, one becomes another, the end is cut off, or all begin anew. */
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("add" as const), text: fc.constantFrom("a", "b", "a cat", "é") }),
  },
  fc.record({ do: fc.constant("replace" as const), at: fc.nat(5), text: fc.constantFrom("c", "cats") }),
  fc.record({ do: fc.constant("cut" as const), at: fc.nat(5) }),
)

type Change = typeof change extends fc.Arbitrary<infer C> ? C : never

const after = (messages: ReadonlyArray<ImmutableMessage>, step: Change): ReadonlyArray<ImmutableMessage> => {
  if (step.do === "add") return [...messages, message(step.text)]
  if (step.do === "cut") return messages.slice(0, step.at)
  return messages[step.at] === undefined ? messages : messages.with(step.at, message(step.text))
}

it("gives what would be made without a cache, and the same object for the same message and key", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), fc.constantFrom("x", "y"), (steps, key) => {
      const any = anyMessage(hasCat)
      const sign = memoizeMessage(signed)
      const writer = new MessageWriter()
      let messages: ReadonlyArray<ImmutableMessage> = []
      for (const step of steps) {
        messages = after(messages, step)
        expect(any(messages)).toBe(messages.some(hasCat))
        for (const one of messages) {
          expect(sign(one, key)).toEqual(signed(one, key))
          expect(sign(one, key)).toBe(sign(one, key))
        }
        const { begun, rest } = writer.write(messages)
        expect(`[${new TextDecoder().decode(begun)}${rest}]`).toBe(JSON.stringify(messages))
      }
    }),
  )
})
