// The Messages API rejects texts of only white space, and errors without content: with one of them in its conversation, every
// request of a session would be rejected.
import { describe, expect, it } from "vitest"
import { call } from "../../support/session/scripts.ts"
import { DONE, loop, toolResultsOf, until } from "../../support/session/loop.ts"

const { start } = loop()

const LIGHT = { name: "set_light", description: "Sets a light.", inputSchema: { type: "object" } }

describe("a tool result without any text", () => {
  it.each([
    ["an empty text", { content: "" }, "(The tool returned no output.)"],
    ["a blank block", { content: [{ type: "text", text: " \n" }] }, "(The tool returned no output.)"],
    ["an empty error", { content: "", is_error: true }, "(The call failed, and no reason was given.)"],
    [
      "an error of blank blocks",
      { content: [{ type: "text", text: "" }], is_error: true },
      "(The call failed, and no reason was given.)",
    ],
    [
      "a blank block next to another",
      {
        content: [
          { type: "text", text: "" },
          { type: "text", text: "on" },
        ],
      },
      [{ type: "text", text: "on" }],
    ],
  ])("of a client says so: %s", async (_name, answer, content) => {
    const turns = [{ content: [call("set_light", {})] }, DONE]
    const { session, events, idle } = await start(turns, {}, { clientTools: [LIGHT] })
    await until(() => session.askStore.open.length === 1)
    session.asks.answer(session.askStore.open[0]!.requestId, answer)
    await idle()
    expect(toolResultsOf(events())[0]).toMatchObject({ content })
  })

  it("of a denial without a message says so", async () => {
    const turns = [{ content: [call("Bash", { command: "touch a" })] }, DONE]
    const { client, events, idle } = await start(turns, {}, {})
    client.onAsk = () => ({ behavior: "deny", message: "" })
    await idle()
    expect(toolResultsOf(events())[0]).toMatchObject({
      content: "(The call failed, and no reason was given.)",
      is_error: true,
    })
  })
})
