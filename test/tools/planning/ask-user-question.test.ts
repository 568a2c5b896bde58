// How the model reads an answer to AskUserQuestion that is more than a choice.
import { describe, expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const { start } = loop()

const options = ["Red", "Blue"].map((label) => ({ label, description: `the ${label} one` }))
const questions = [{ question: "Which?", header: "Pick", options, multiSelect: false }]

describe("a question to the user", () => {
  it.each([
    [{}, "The user responded: show me both"],
    [{ answers: { "Which?": "Red" } }, 'The user answered: "Which?"="Red".\nThe user responded: show me both'],
  ])("is answered by a text in place of a choice, or in addition to it: %j", async (answered, content) => {
    const { client, idle, events } = await start([{ content: [call("AskUserQuestion", { questions })] }, DONE], {}, {})
    client.onAsk = ({ input }) => ({
      behavior: "allow",
      updatedInput: { ...(input as object), ...answered, response: "show me both" },
    })
    await idle()
    const [message] = payloadsOf(events(), "sdk:user")
    expect(message?.["tool_use_result"]).toEqual({ questions, answers: {}, ...answered, response: "show me both" })
    expect(toolResultsOf(events())[0]?.content).toBe(content)
  })
})

it("a question without `multiSelect` allows one choice", async () => {
  const { multiSelect: _, ...asked } = questions[0]!
  const { client, idle, events } = await start(
    [{ content: [call("AskUserQuestion", { questions: [asked] })] }, DONE],
    {},
    {},
  )
  client.onAsk = ({ input }) => ({
    behavior: "allow",
    updatedInput: { ...(input as object), answers: { "Which?": "Red" } },
  })
  await idle()
  const [message] = payloadsOf(events(), "sdk:user")
  expect(message?.["tool_use_result"]).toEqual({ questions, answers: { "Which?": "Red" } })
})

// As recorded, and as over REST: the official SDK's clients may send the labels as a list.
it("a question is answered by several labels", async () => {
  const many = [{ ...questions[0]!, multiSelect: true }]
  const { client, idle, events } = await start(
    [{ content: [call("AskUserQuestion", { questions: many })] }, DONE],
    {},
    {},
  )
  client.onAsk = ({ input }) => ({
    behavior: "allow",
    updatedInput: { ...(input as object), answers: { "Which?": ["Red", "Blue"] } },
  })
  await idle()
  const [message] = payloadsOf(events(), "sdk:user")
  expect(message?.["tool_use_result"]).toEqual({ questions: many, answers: { "Which?": "Red, Blue" } })
  expect(toolResultsOf(events())[0]?.content).toBe('The user answered: "Which?"="Red, Blue".')
})
