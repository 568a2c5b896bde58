// Asks of outside callers, answered in the console: a tool of the client, and a form of an MCP server.
import { expect, inject, it, onTestFinished } from "vitest"
import { openConsole } from "../../support/browser/console-page.ts"
import { PerchClient } from "../../support/server/client.ts"
import { startMcpServer } from "../../support/server/mcp-server.ts"
import { ApiLog, toolResults } from "../../support/session/api-log.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"

const shared = inject("shared")
const api = new ApiLog(shared.apiUrl)
const client = new PerchClient(shared)

/** A session, open in the console, that waits in this call. */
const waiting = async (use: ReturnType<typeof call>, options: Readonly<Record<string, unknown>>) => {
  const script = scriptName("outside")
  await api.set(script, [{ content: [use] }, textAnswer("All done.")])
  const id = await client.createSession(options)
  const { page } = await openConsole({ at: `#/sessions/${id}` })
  await page.getByText("live", { exact: true }).waitFor()
  await client.submit(id, promptFor(script))
  const asks = page.getByRole("region", { name: "Waiting for you" })
  await asks.waitFor()
  const result = async (): Promise<string> => {
    await page.getByRole("log", { name: "Messages" }).getByText("All done.").waitFor()
    await asks.waitFor({ state: "detached" })
    return JSON.stringify((await api.requests(script)).flatMap(toolResults).map(({ content }) => content))
  }
  return { page, asks, result }
}

const LIGHT = {
  name: "set_light",
  description: "Switches the light of a room.",
  inputSchema: { type: "object", properties: { room: { type: "string" } }, required: ["room"] },
}

it("a call of the client's own tool shows its input and gets the typed result", async () => {
  const { asks, result } = await waiting(call("set_light", { room: "the hall" }), { clientTools: [LIGHT] })
  await asks.getByText("the hall").waitFor()
  await asks.getByLabel("Result, as text or JSON").fill("It is on.")
  await asks.getByRole("button", { name: "Send the result" }).click()
  expect(await result()).toContain("It is on.")
})

it("a form of an MCP server is filled in, and its answer reaches the tool", async () => {
  const server = await startMcpServer()
  onTestFinished(() => server.close())
  const params = {
    message: "Which colour?",
    requestedSchema: {
      type: "object",
      properties: {
        colour: { type: "string", title: "Colour" },
        count: { type: "integer", minimum: 1, title: "How many" },
        sides: { type: "array", title: "Sides", description: "None: all of them.", items: { enum: ["left", "right"] } },
      },
      required: ["colour", "count"],
    },
  }
  const mcpServers = { far: { type: "http", url: server.http } }
  const { page, asks, result } = await waiting(call("mcp__far__ask", { params }), {
    allowedTools: ["mcp__far"],
    mcpServers,
  })
  await asks.getByText("Which colour?").waitFor()
  await asks.getByRole("group", { name: "Sides" }).getByText("None: all of them.").waitFor()
  await asks.getByLabel(/Colour/).fill("green")
  await asks.getByRole("button", { name: "Send" }).click()
  await page
    .getByRole("alert")
    .filter({ hasText: /How many|count/ })
    .waitFor()
  await asks.getByLabel(/How many/).fill("2")
  await asks.getByRole("button", { name: "Send" }).click()
  const read = await result()
  expect(read).toContain("accept:")
  expect(read).toContain("green")
})
