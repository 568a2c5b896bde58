// Secrets that a recording never contains: the keys of the deployment, and the headers and addresses of servers and hooks.
import { expect, it } from "vitest"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { hookAndMcpServers } from "../../support/mcp/hook-and-mcp-servers.ts"
import { pageServer } from "../../support/server/page-server.ts"
import { BYPASS, DONE, loop } from "../../support/session/loop.ts"
import { call, promptFor } from "../../support/session/scripts.ts"
import { SessionHarness } from "../../support/session/session-harness.ts"
import { firstSignalDifference } from "../../../src/recording/compare-signals.ts"
import { playing, prompts, RECORD, resultsOf, takeRecording } from "./recordings.ts"

const setting = loop()
const pages = pageServer()
const servers = hookAndMcpServers()

const canary = (name: string) => `canary-${name}-5f0e7a21`

const CANARIES = ["root-key-of-more-than-32-characters", "api-key", "mcp", "agent-mcp", "hook", "query", "oauth"].map(
  canary,
)
const [ROOT_KEY = "", API_KEY = "", MCP, AGENT_MCP, HOOK, QUERY, OAUTH] = CANARIES

const withSecrets = (): SessionOptions => ({
  ...BYPASS,
  shell_network: true,
  mcpServers: {
    remote: { type: "http", url: `${servers.mcp.http}?key=${QUERY}`, headers: { "x-team": `${MCP}` } },
    second: {
      type: "http",
      url: servers.mcp.http,
      oauth: { grant: "client_credentials", clientId: "id", clientSecret: `${OAUTH}` },
    },
  },
  agents: {
    helper: {
      description: "Helps.",
      prompt: "Help.",
      mcpServers: [{ own: { type: "http", url: servers.mcp.http, headers: { "x-team": `${AGENT_MCP}` } } }],
    },
  },
  hooks: {
    PostToolUse: [
      { hooks: [{ type: "http", url: `${servers.hooks.url}/post?key=${QUERY}`, headers: { "x-hook": `${HOOK}` } }] },
    ],
  },
})

/** The same without what is masked in a log. */
const withoutSecrets = (): SessionOptions =>
  JSON.parse(
    CANARIES.reduce((json, secret) => json.replaceAll(secret, "***"), JSON.stringify(withSecrets())),
  ) as SessionOptions // they were options

it("contains no key and no secret of the session's options, and is played without them", async () => {
  const sub = setting.scripted([{ content: [call("mcp__own__structured", {})] }, DONE])
  const agent = { description: "help", subagent_type: "helper", prompt: promptFor(sub), run_in_background: false }
  const script = setting.scripted([
    { content: [call("mcp__remote__structured", {}), call("Bash", { command: `curl -s ${pages.origin}/data` })] },
    { content: [call("Agent", agent)] },
    DONE,
  ])
  const settings = { PERCH_ROOT_KEY: ROOT_KEY, ANTHROPIC_API_KEY: API_KEY }
  const harness = new SessionHarness(setting.api.url, { ...withSecrets(), ...RECORD }, settings)
  const booted = harness.boot()
  await prompts(booted, [promptFor(script)])
  const recorded = takeRecording(booted.session)
  expect(resultsOf(recorded)).toMatchObject([{ result: "Done." }])
  // The recorded session sent them to their servers.
  const sent = JSON.stringify([servers.mcp.asked, servers.hooks.deliveries])
  for (const secret of [MCP, AGENT_MCP, HOOK, QUERY]) expect(sent).toContain(secret)
  expect(recorded.answers.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["model", "tool", "hook"]))

  const rows = harness.twin.sql.exec<Record<string, string>>("SELECT * FROM recorded").toArray()
  const held = JSON.stringify([recorded, rows])
  const encoded = [...held.matchAll(/[A-Za-z0-9+/]{40,}={0,2}/g)].map(([base64]) =>
    Buffer.from(base64, "base64").toString("latin1"),
  )
  for (const secret of CANARIES) {
    expect(held).not.toContain(secret)
    expect(encoded.filter((text) => text.includes(secret))).toEqual([])
  }
  await harness.dispose()

  const asked = [setting.api.log.length, servers.mcp.asked.length, servers.hooks.deliveries.length, pages.asked.length]
  const { booted: played } = playing(setting, recorded, withoutSecrets())
  await prompts(played, [promptFor(script)])
  expect(firstSignalDifference(recorded.signals, takeRecording(played.session).signals)).toBeNull()
  expect([
    setting.api.log.length,
    servers.mcp.asked.length,
    servers.hooks.deliveries.length,
    pages.asked.length,
  ]).toEqual(asked)
})
