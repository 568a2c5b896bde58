import { expect, it } from "vitest"
import { loop, payloadsOf } from "../../support/session/loop.ts"
import { textAnswer } from "../../support/session/scripts.ts"
import { conversation, summaryNaming } from "./compactions.ts"

const setting = loop()
const TWO = [textAnswer("first"), textAnswer("second")]

/** Compacts a conversation of two turns with these answers to the requests for a summary. */
const compacted = async (compact: ReadonlyArray<unknown>) => {
  const made = await conversation(setting, TWO, { hooks: { SubagentStop: {} }, compact })
  for (const words of ["one", "two", "/compact"]) await made.say(words)
  const ends = payloadsOf(made.events(), "hook:fired").filter(({ hook_event_name: event }) => event === "SubagentStop")
  const requests = setting.api.log.filter(({ script, kind }) => script === made.script && kind === "compact")
  const [restarted] = payloadsOf(made.events(), "conversation:restarted")
  return {
    requests: requests.map(({ body }) => body.messages.length),
    ends: ends.map(({ input }) => (input as { readonly last_assistant_message?: string }).last_assistant_message),
    summary: JSON.stringify(restarted?.["messages"] ?? null),
    state: payloadsOf(made.events(), "sdk:system/status").at(-1),
  }
}

it("an answer without the summary's tag is requested again", async () => {
  const made = await compacted([textAnswer("I will continue."), summaryNaming("tagged")])
  expect(made.requests).toEqual([5, 5])
  expect(made.ends).toEqual(["I will continue.", expect.stringContaining("[[script:tagged]]")])
  expect(made.summary).toContain("[[script:tagged]]")
  expect(made.summary).not.toContain("I will continue.")
})

it.each([
  ["another text", textAnswer("I continue with the task.")],
  ["nothing", textAnswer("")],
  ["a refusal", { ...textAnswer("I can't."), stop_reason: "refusal" }],
  ["an error", { error: { status: 400, type: "invalid_request_error", message: "bad request" } }],
])("an answer without the tag is the summary if it is followed by %s", async (_, next) => {
  const made = await compacted([textAnswer("In short: two turns."), next])
  expect(made.requests.slice(0, 2)).toEqual([5, 5])
  expect(made.summary).toContain("In short: two turns.")
  expect(made.state).toMatchObject({ compact_result: "success" })
})

it("each answer is sent to SubagentStop hooks, also when none has a summary", async () => {
  const made = await compacted([textAnswer(""), textAnswer("<analysis>only this</analysis>"), textAnswer("")])
  expect(made.requests).toEqual([5, 3, 3])
  expect(made.ends).toEqual([undefined, "<analysis>only this</analysis>", undefined])
  expect(made.state).toMatchObject({ compact_result: "failed" })
})
