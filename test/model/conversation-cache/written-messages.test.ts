// Whatever happens to a conversation between two requests, the caches return the same as without them, and cached JSON is sent
// as it would be serialized.
import fc from "fast-check"
import { expect, it } from "vitest"
import { anyMessage } from "../../../src/model/conversation-cache/any-message.ts"
import { type ImmutableMessage, immutableMessage } from "../../../src/model/conversation-cache/immutable-message.ts"
import { memoizeMessage } from "../../../src/model/conversation-cache/memoize-message.ts"
import { HeldMessages } from "../../../src/model/conversation-cache/held-messages.ts"
import { withImageNumbers } from "../../../src/model/request/image-numbers.ts"
import { writeMessages } from "../../../src/model/conversation-cache/written-messages.ts"

const message = (content: string): ImmutableMessage => immutableMessage({ role: "user", content })
const hasCat = ({ content }: ImmutableMessage) => String(content).includes("cat")
const signed = (given: ImmutableMessage, key: string) => message(`${String(given.content)} ${key}`)

/** Changes between two requests: messages are appended, one is replaced, the end is removed, or all are replaced. */
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

const written = (messages: ReadonlyArray<ImmutableMessage>): string =>
  `[${Buffer.concat([...writeMessages(messages).pieces]).toString()}]`

it("returns the same as without a cache, and the same object for the same message and key", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), fc.constantFrom("x", "y"), (steps, key) => {
      const any = anyMessage(hasCat)
      const sign = memoizeMessage(signed)
      let messages: ReadonlyArray<ImmutableMessage> = []
      for (const step of steps) {
        messages = after(messages, step)
        expect(any(messages)).toBe(messages.some(hasCat))
        for (const one of messages) {
          expect(sign(one, key)).toEqual(signed(one, key))
          expect(sign(one, key)).toBe(sign(one, key))
        }
        expect(written(messages)).toBe(JSON.stringify(messages))
      }
    }),
  )
})

const long = fc.integer({ min: 0, max: 300_000 }).map((length) => "é".repeat(length))

it("writes the bytes of cached messages unchanged, wherever others are between them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ text: fc.oneof(fc.string(), long), isHeld: fc.boolean() }), { maxLength: 12 }),
      fc.nat(12),
      fc.nat(12),
      (given, from, to) => {
        const held = new HeldMessages()
        const plain = given.map(({ text }) => ({ role: "user" as const, content: [{ type: "text", text }] }))
        for (const one of plain) held.add(immutableMessage(one))
        const again = HeldMessages.of(held.pages(), held.index)
        for (const { messages } of [held, again]) {
          expect(messages.map(({ content }) => content)).toEqual(plain.map(({ content }) => content))
          const mixed = plain.map((one, index) =>
            given[index]?.isHeld === true ? (messages[index] ?? immutableMessage(one)) : immutableMessage(one),
          )
          const some = [...mixed.slice(from), ...mixed.slice(0, to)]
          expect(written(some)).toBe(JSON.stringify([...plain.slice(from), ...plain.slice(0, to)]))
        }
      },
    ),
    { numRuns: 30 },
  )
})

it("caches messages as requests send them: with numbers for images, and without a client's breakpoints", () => {
  const held = new HeldMessages()
  const source = { type: "base64", media_type: "image/png", data: "AAAA" }
  const cached = { type: "text", text: "look", cache_control: { type: "ephemeral" } }
  held.add(immutableMessage({ role: "user", content: [{ type: "image", source }, cached] }))
  const [first] = held.messages
  expect(first?.content).toEqual([
    { type: "image", source },
    { type: "text", text: "look" },
    { type: "text", text: "[Image 1]" },
  ])
  const next = immutableMessage({ role: "user", content: [{ type: "image", source }] })
  const numbered = withImageNumbers([...held.messages, next])
  expect(numbered[0]).toBe(first)
  expect(numbered[1]?.content).toEqual([
    { type: "image", source },
    { type: "text", text: "[Image 2]" },
  ])
})
