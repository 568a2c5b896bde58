// Calls whose parameters the model wrote as quoted JSON: clients, hooks, tools and the next request have their values.
import { describe, expect, it } from "vitest"
import { call, text } from "../../support/session/scripts.ts"
import { BYPASS, DONE, loop, payloadsOf, toolResultsOf } from "../../support/session/loop.ts"

const { finish } = loop()

const inputsOf = (events: Parameters<typeof payloadsOf>[0]): ReadonlyArray<unknown> =>
  payloadsOf(events, "sdk:assistant").flatMap(({ message }) =>
    (message as { readonly content: ReadonlyArray<{ readonly type: string; readonly input?: unknown }> }).content
      .filter(({ type }) => type === "tool_use")
      .map(({ input }) => input),
  )

describe("quoted parameters", () => {
  it("of StructuredOutput are the turn's value", async () => {
    const schema = {
      type: "object",
      properties: {
        answer: { type: "number" },
        list: { type: "array", items: { type: "number" } },
        about: { type: "object" },
        note: { type: "string" },
      },
      required: ["answer"],
    }
    const given = { answer: "42", list: "[1,2]", about: '{"k":"v"}', note: "5" }
    const value = { answer: 42, list: [1, 2], about: { k: "v" }, note: "5" }
    const { result, events } = await finish(
      [{ content: [call("StructuredOutput", given)] }],
      {},
      { ...BYPASS, outputFormat: { type: "json_schema", schema } },
    )
    expect(result()).toMatchObject({ subtype: "success", structured_output: value })
    expect(inputsOf(events())).toEqual([value])
  })

  it("are values for hooks, clients and the model's next request", async () => {
    const grep = { pattern: "one", output_mode: "content", "-n": "false", head_limit: "1" }
    const { client, events, sent } = await finish([{ content: [call("Grep", grep)] }, DONE], { PreToolUse: {} }, BYPASS)
    const value = { ...grep, "-n": false, head_limit: 1 }
    expect(inputsOf(events())).toEqual([value])
    expect(client.called[0]?.input).toMatchObject({ tool_input: value })
    expect(sent().at(-1)?.[1]).toMatchObject({ content: [{ type: "tool_use", input: value }] })
    expect(toolResultsOf(events())[0]?.is_error).toBeUndefined()
  })

  it("are sent to a client's tool as values", async () => {
    const tags = {
      name: "tag",
      description: "Tags",
      inputSchema: { type: "object", properties: { names: { type: "array" } } },
    }
    const { events } = await finish(
      [{ content: [text("now"), call("tag", { names: '["a"]' })] }, DONE],
      { PreToolUse: { decision: "block", reason: "enough" } },
      { ...BYPASS, clientTools: [tags] },
    )
    expect(inputsOf(events())).toEqual([{ names: ["a"] }])
  })
})
