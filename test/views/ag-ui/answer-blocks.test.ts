// The blocks of an answer that streams, among them such as are never logged.
import { expect, it } from "vitest"
import { AnswerBlocks } from "../../../src/views/ag-ui/answer-blocks.ts"

type Step = { readonly log: Readonly<Record<string, unknown>> } | Readonly<Record<string, unknown>>

const start = { type: "message_start", message: { id: "m1" } }
const text = (index: number, ...pieces: ReadonlyArray<string>): ReadonlyArray<Step> => [
  { type: "content_block_start", index, content_block: { type: "text", text: "" } },
  ...pieces.map((piece) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text: piece } })),
]
const stop = (index: number): Step => ({ type: "content_block_stop", index })
const log = (block: Readonly<Record<string, unknown>>): Step => ({ log: block })
const use = log({ type: "tool_use", id: "t1", name: "Bash", input: {} })

const read = (steps: ReadonlyArray<Step>) => {
  const blocks = new AnswerBlocks()
  const events = steps.flatMap((step) =>
    "log" in step ? blocks.log("m1", [step.log as Readonly<Record<string, unknown>>]) : blocks.stream(step),
  )
  return [...events, ...blocks.close()].map((event) => {
    const { type, messageId, delta } = { messageId: "", delta: "", ...event }
    return [type, messageId, delta].filter((part) => part !== "").join(" ")
  })
}

const hello = [
  "TEXT_MESSAGE_START m1:0",
  "TEXT_MESSAGE_CONTENT m1:0 Hello wor",
  "TEXT_MESSAGE_CONTENT m1:0 ld",
  "TEXT_MESSAGE_END m1:0",
]
const call = ["TOOL_CALL_START", "TOOL_CALL_ARGS {}", "TOOL_CALL_END"]

it("a text of nothing but white space is not sent, and what follows it comes whole, under the id that a later reader gets", () => {
  const events = read([
    start,
    ...text(0, "\n", "\n"),
    stop(0),
    ...text(1, "Hello wor", "ld"),
    log({ type: "text", text: "Hello world" }),
    stop(1),
    use,
    stop(2),
  ])
  expect(events).toEqual([...hello, ...call])
  const later = read([log({ type: "text", text: "Hello world" }), use])
  expect(later).toEqual(["TEXT_MESSAGE_START m1:0", "TEXT_MESSAGE_CONTENT m1:0 Hello world", hello[3], ...call])
})

it("a text in whose place a hook shows none ends with its block", () => {
  expect(read([start, ...text(0, "Look."), stop(0), use, stop(1)])).toEqual([
    "TEXT_MESSAGE_START m1:0",
    "TEXT_MESSAGE_CONTENT m1:0 Look.",
    "TEXT_MESSAGE_END m1:0",
    ...call,
  ])
})
