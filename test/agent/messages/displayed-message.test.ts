// What a MessageDisplay hook shows in place of a text: who gets which of the two.
import { expect, it } from "vitest"
import { call, promptFor, text } from "../../support/session/scripts.ts"
import { prompt } from "../../support/session/session-harness.ts"
import { DONE, hooksOf, loop, payloadsOf, textOf } from "../../support/session/loop.ts"
import { messagesOf, revert } from "../../session/revert/reverting.ts"

const { finish, messagesSent, scripted } = loop()

const show = (displayContent: string) => ({ hookSpecificOutput: { hookEventName: "MessageDisplay", displayContent } })
const inBrackets = {
  MessageDisplay: (input: Readonly<Record<string, unknown>>) => show(`<${String(input["delta"])}>`),
  Stop: {},
  StopFailure: {},
}
const says = (...texts: ReadonlyArray<string>) => ({ content: texts.map((value) => text(value)) })

type Payload = Readonly<Record<string, unknown>>
const contents = (messages: ReadonlyArray<Payload>): ReadonlyArray<unknown> =>
  messages.map(({ message }) => Reflect.get(Object(message), "content"))

it("clients get the text that a hook shows, the model and Stop hooks the one that was written", async () => {
  const started = await finish([says("one", "two"), says("three")], inBrackets)
  const { client, events, result, session, idle, sent } = started
  const shown = [[text("<one>")], [text("<two>")]]
  expect(contents(client.frames.filter(({ type }) => type === "assistant"))).toEqual(shown)
  expect(contents(payloadsOf(events(), "sdk:assistant"))).toEqual(shown)
  expect(result()).toMatchObject({ subtype: "success", result: "<two>" })
  expect(client.called.find(({ callbackId }) => callbackId === "Stop")?.input).toMatchObject({
    last_assistant_message: "two",
  })
  expect(
    messagesOf(started).flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? part.text : []))),
  ).toEqual([promptFor(started.script), "<one>", "<two>"])
  prompt(session, "next")
  await idle()
  expect(sent().at(-1)?.[1]?.content).toEqual([text("one"), text("two")])
})

it("the model gets the text that was written after a restart too", async () => {
  const { harness, session, idle, sent } = await finish([says("one"), says("two"), says("three")], inBrackets)
  prompt(session, "next")
  await idle()
  const again = harness.boot()
  prompt(again.session, "another")
  await again.idle()
  expect(
    sent()
      .at(-1)
      ?.map(textOf)
      .filter((_, index) => index % 2 === 1),
  ).toEqual(["one", "two"])
})

it("a text in whose place a hook shows white space has no message", async () => {
  const { client, result, session, idle, sent } = await finish(
    [{ content: [text("Look."), call("Bash", { command: "true", description: "d" })] }, says("end"), DONE],
    { MessageDisplay: () => show(" \n") },
  )
  expect(contents(client.frames.filter(({ type }) => type === "assistant"))).toMatchObject([[{ type: "tool_use" }]])
  expect(result()).toMatchObject({ subtype: "success", result: " \n", num_turns: 2 })
  prompt(session, "next")
  await idle()
  expect(
    sent()
      .at(-1)
      ?.map(({ content }) => content.map(({ type }) => type)),
  ).toEqual([["text"], ["text", "tool_use"], ["tool_result"], ["text"], ["text"]])
})

it("an answer whose shown text is reverted leaves the conversation", async () => {
  const started = await finish([says("one"), says("two")], inBrackets)
  const answer = messagesOf(started).find(({ info }) => info.role === "assistant")
  expect(revert(started, { messageID: answer!.info.id })).toBeUndefined()
  const script = scripted([says("new")])
  prompt(started.session, promptFor(script))
  await started.idle()
  expect(JSON.stringify(messagesSent(script))).not.toContain("one")
})

it("the answer that a request without streaming brings is shown in the same way", async () => {
  const refused = { error: { status: 404, type: "not_found_error", message: "no streams here" } }
  const { result } = await finish([[refused, says("whole")]], inBrackets)
  expect(result()).toMatchObject({ result: "<whole>" })
})

it("an error of the API is shown as a hook has it, and StopFailure hooks get it as it is", async () => {
  const { client, events, result } = await finish(
    [{ error: { status: 404, type: "not_found_error", message: "gone" } }],
    inBrackets,
  )
  const [failure] = client.called.filter(({ callbackId }) => callbackId === "StopFailure")
  const written = String(failure?.input["last_assistant_message"])
  expect(written).not.toMatch(/^</)
  expect(result()).toMatchObject({ is_error: true, result: `<${written}>` })
  expect(contents(payloadsOf(events(), "sdk:assistant"))).toEqual([[text(`<${written}>`)]])
})

it("the texts of subagents are no concern of its hooks", async () => {
  const script = scripted([says("from the agent")])
  const use = call("Agent", { description: "d", prompt: promptFor(script), subagent_type: "general-purpose" })
  const { events, result } = await finish([{ content: [use] }, says("end")], inBrackets)
  expect(hooksOf(events()).filter((name) => name === "MessageDisplay")).toHaveLength(1)
  expect(result()).toMatchObject({ result: "<end>" })
})

it("a structured result is what the model gave", async () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
  const { result } = await finish([{ content: [text("Here."), call("StructuredOutput", { n: 1 })] }], inBrackets, {
    permissionMode: "bypassPermissions",
    outputFormat: { type: "json_schema", schema },
  })
  expect(result()).toMatchObject({ result: '{"n":1}', structured_output: { n: 1 } })
})
