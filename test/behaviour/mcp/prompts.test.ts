// Prompts of a session's remote MCP servers as slash commands, through the whole loop.
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { PNG } from "../../mcp/calculator.ts"
import { startMcpServer, type TestMcpServer } from "../../support/server/mcp-server.ts"
import { BYPASS, DONE, loop, payloadsOf, resultOf } from "../../support/session/loop.ts"
import { promptFor } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const { connected, messagesSent, scripted } = loop()

let server: TestMcpServer
beforeEach(async () => {
  server = await startMcpServer()
})
afterEach(() => server.close())

const options = (type: "http" | "sse" = "http"): SessionOptions => ({
  ...BYPASS,
  mcpServers: { far: { type, url: server[type] } },
})

describe.each(["http", "sse"] as const)("a prompt of a server of type %s", (type) => {
  it("is a command, and the server's answer to its arguments becomes the prompt", async () => {
    const { client, session, idle, log } = await connected({ UserPromptExpansion: {} }, options(type))
    const script = scripted([DONE])
    prompt(session, `/mcp__far__greet ${promptFor(script).split(" ")[0]} warmly`)
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({ subtype: "success", result: "Done." })
    const [[asked] = []] = messagesSent(script)
    expect(asked?.content.map(({ type: kind, text }) => text ?? kind)).toEqual(
      expect.arrayContaining([
        expect.stringContaining("<command-name>/mcp__far__greet</command-name>"),
        `Greet [[script:${script}]] warmly.`,
        "image",
        "[Image: source: mcp__far__greet]",
      ]),
    )
    expect(JSON.stringify(asked?.content)).toContain(PNG)
    expect(client.called[0]?.input).toMatchObject({
      hook_event_name: "UserPromptExpansion",
      expansion_type: "mcp_prompt",
      command_name: "mcp__far__greet",
      command_source: "mcp",
    })
  })
})

describe("prompts of servers", () => {
  it("are listed to clients, by names that can be called", async () => {
    const { client, session, idle, log } = await connected({}, options())
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    const names = ["mcp__far__greet", "mcp__far__two_words", "mcp__far__broken"]
    expect(payloadsOf(eventsOf(log), "sdk:system/init")[0]).toMatchObject({
      slash_commands: expect.arrayContaining(names),
    })
    expect(await client.request("initialize", {})).toMatchObject({
      response: {
        commands: expect.arrayContaining([
          { name: "mcp__far__greet", description: "Greets someone", argumentHint: "who [how]" },
        ]),
      },
    })
  })

  it("that fail end the turn with the reason, without a model request", async () => {
    const { session, idle, log } = await connected({}, options())
    prompt(session, "/mcp__far__greet")
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({
      num_turns: 0,
      result: expect.stringContaining("Missing required argument: who. Usage: /mcp__far__greet who [how]"),
    })
    prompt(session, "/mcp__far__broken")
    await idle()
    expect(resultOf(eventsOf(log))).toMatchObject({
      num_turns: 0,
      result: expect.stringContaining("the prompt is broken"),
    })
  })

  it("are not commands while their server is switched off", async () => {
    const { client, session, idle, log } = await connected({}, options())
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    await client.request("mcp_toggle", { serverName: "far", enabled: false })
    prompt(session, promptFor(scripted([DONE])))
    await idle()
    const listed = payloadsOf(eventsOf(log), "sdk:system/init").map(({ slash_commands: names }) =>
      JSON.stringify(names),
    )
    expect(listed.map((names) => names.includes("mcp__far__greet"))).toEqual([true, false])
  })
})
