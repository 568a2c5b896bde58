// The options in a client's `initialize`: the limits are those of the session's options, whichever way they are set.
import { describe, expect, it } from "vitest"
import { loop } from "../../support/session/loop.ts"

const { connected } = loop()

const REFUSED: ReadonlyArray<readonly [string, unknown]> = [
  ["planModeInstructions", "x".repeat(100_001)],
  ["appendSubagentSystemPrompt", "x".repeat(100_001)],
  ["appendSubagentSystemPrompt", 7],
  ["toolAliases", { Read: "" }],
  ["toolAliases", Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`tool${at}`, "Read"]))],
  ["skills", ["x".repeat(1001)]],
  ["skills", Array.from({ length: 501 }, () => "lint")],
  ["systemPrompt", Array.from({ length: 51 }, () => "p")],
  ["hooks", { PreToolUse: [{ hookCallbackIds: Array.from({ length: 1001 }, (_, at) => `h${at}`) }] }],
]

describe("an option of initialize that no session may have", () => {
  it.each(REFUSED)("is refused by its name: %s", async (name, value) => {
    const { client, session } = await connected()
    const before = session.record.options
    expect(await client.request("initialize", { [name]: value })).toMatchObject({
      subtype: "error",
      error: expect.stringMatching(new RegExp(`^initialize\\.${name}.*: `)),
    })
    expect(session.record.options).toEqual(before)
  })

  it("may be null where clients send it for nothing", async () => {
    const { client } = await connected()
    expect(await client.request("initialize", { appendSubagentSystemPrompt: null })).toMatchObject({
      subtype: "success",
    })
  })
})

describe("the system prompt of initialize", () => {
  it.each([
    ["is a list of texts", ["Be brief."], ["Be brief."]],
    ["is one text from older clients", "Be brief.", ["Be brief."]],
    ["is none if that text is empty", "", undefined],
  ])("%s", async (_, systemPrompt, expected) => {
    const { client, session } = await connected()
    expect(await client.request("initialize", { systemPrompt })).toMatchObject({ subtype: "success" })
    expect(session.record.options.systemPrompt).toEqual(expected)
  })

  it("has a limit as one text too", async () => {
    const { client } = await connected()
    expect(await client.request("initialize", { systemPrompt: "x".repeat(1_000_001) })).toMatchObject({
      subtype: "error",
      error: expect.stringMatching(/^initialize\.systemPrompt: /),
    })
  })
})
