// The `initialize` that the server receives from the official SDK: its system prompt, and the MCP servers inside the app.
import { createSdkMcpServer, type Options, query } from "@anthropic-ai/claude-agent-sdk"
import { expect, it } from "vitest"
import { perch } from "../../../src/client/spawn.ts"
import { echo } from "../../client/fake-perch.ts"
import { perchPerTest } from "../../client/perch-per-test.ts"

const { start } = perchPerTest({ line: echo() })

/** Runs one prompt with these options; returns the first request that the server received. */
const request = async (options: Options) => {
  const { url, socket } = await start()
  const run = query({ prompt: "hi", options: { env: {}, ...options, ...perch({ url, apiKey: "key" }) } })
  for await (const message of run) expect(message.type).toBe("result")
  const [line] = await (await socket(0)).has(1)
  return line?.frame["request"]
}

const preset = { type: "preset", preset: "claude_code" } as const

it.each([
  ["no system prompt", {}, { systemPrompt: [""] }],
  ["a system prompt", { systemPrompt: "Be brief." }, { systemPrompt: ["Be brief."] }],
  ["the preset", { systemPrompt: preset }, { appendSystemPrompt: "" }],
  ["the preset and a text", { systemPrompt: { ...preset, append: "x" } }, { appendSystemPrompt: "x" }],
  ["the preset, and a flag instead", { systemPrompt: preset, extraArgs: { "system-prompt": "x" } }, {}],
])("%s is sent", async (_, options, expected) => {
  expect(await request(options)).toEqual({ subtype: "initialize", ...expected })
})

it.each(["argv", "initialize"] as const)("servers inside the app are listed (%s)", async (mcpServersDelivery) => {
  const calc = createSdkMcpServer({ name: "calc", tools: [] })
  expect(await request({ mcpServersDelivery, mcpServers: { calc } })).toMatchObject({ sdkMcpServers: ["calc"] })
})
