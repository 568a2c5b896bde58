// The tools that a session's model is offered or not: fingerprints and rejected tools, and the events that record calls.
import { describe, expect, it } from "vitest"
import { fingerprintOf } from "../../../src/schemas/agent-schema/fingerprint.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { Clients } from "../../../src/session/control/clients.ts"
import { fetchSettings } from "../../../src/net/guarded-fetch.ts"
import { McpServers } from "../../../src/session/control/mcp-servers.ts"
import type { Env } from "../../../src/schemas/env.ts"
import { RemoteServers } from "../../../src/session/mcp/remote-servers.ts"
import { toolCatalogue } from "../../../src/session/turns/tool-catalogue.ts"
import { mcpTool } from "../../../src/mcp/mcp-tool.ts"
import { chooseTools } from "../../../src/mcp/choose-tools.ts"
import { toolByName } from "../../../src/tools/registry.ts"
import { loop } from "../../support/session/loop.ts"
import { call, promptFor, scriptName, textAnswer } from "../../support/session/scripts.ts"
import { eventsOf, prompt } from "../../support/session/session-harness.ts"

const sessions = loop()

const CITY = { type: "object", properties: { city: { type: "string", examples: ["Oslo"] } }, required: ["city"] }
const LISTED = [
  { name: "add", inputSchema: { type: "object", properties: { a: { type: "number" } } } },
  { name: "broken", inputSchema: { type: "object", properties: { a: { type: "nonsense" }, b: { $ref: "#/gone" } } } },
  { name: "odd", inputSchema: { type: "object", properties: { "a b": { type: "string" } } } },
  { name: "denied", inputSchema: { type: "object" } },
  { notATool: true },
]
const POLICIES = [{ name: "denied", permission_policy: "always_deny" as const }]

/** For a session without any. */
const noRemoteServers = new RemoteServers({
  meta: { get: () => undefined, set: () => undefined, delete: () => undefined },
  options: () => ({}),
  stored: () => ({}),
  settings: fetchSettings("", "off"),
  // Nothing of the environment is read.
  context: { env: {} as Env, now: () => 0 },
  record: { id: "", tenant: "" },
  capture: null,
})

describe("the catalogue of a session", () => {
  const { tools, refused } = chooseTools("calc", LISTED, POLICIES)
  const server = { name: "calc", tools, refused }
  // The tools are not called.
  const mcp = tools.map((tool) =>
    mcpTool(server, tool, {
      send: () => {
        throw new Error("called")
      },
    }),
  )
  const options: SessionOptions = {
    tools: ["Read"],
    clientTools: [
      { name: "weather", description: "Weather", inputSchema: CITY },
      { name: "worse", description: "Bad", inputSchema: { type: "object", properties: { a: { $ref: "#/none" } } } },
    ],
    outputFormat: { type: "json_schema", schema: { type: "object", properties: { x: { type: "string" } } } },
  }
  const catalogue = toolCatalogue(
    options,
    mcp,
    refused.map((tool) => ({ ...tool, server: "calc", source: "mcp" as const })),
  )

  it("lists the tools of every source with the fingerprints of their input schemas", () => {
    expect(catalogue.builtIn).toEqual(["Read"])
    expect(catalogue.others).toMatchObject([
      { name: "mcp__calc__add", source: "mcp", server: "calc" },
      { name: "weather", source: "client", schema_fingerprint: fingerprintOf(CITY) },
      { name: "StructuredOutput", source: "structured_output" },
    ])
    for (const tool of catalogue.others) expect(tool.schema_fingerprint).toBe(fingerprintOf(tool.input_schema))
  })

  it("reports for each rejected tool its name, its server, the reason, and every issue of its schema", () => {
    const schema = expect.stringContaining("has a schema that can't be used")
    expect(catalogue.rejected).toEqual([
      {
        name: "broken",
        server: "calc",
        source: "mcp",
        reason: schema,
        issues: expect.arrayContaining([{ path: "#/properties/a", issue: "type-invalid" }]),
      },
      {
        name: "odd",
        server: "calc",
        source: "mcp",
        reason: schema,
        issues: [{ path: "#/properties/a b", issue: "property-name-unsupported" }],
      },
      { name: "denied", server: "calc", source: "mcp", reason: "is denied by the policy of its server" },
      { name: "(without a name)", server: "calc", source: "mcp", reason: expect.stringContaining("MCP's definition") },
      {
        name: "worse",
        source: "client",
        reason: "has a schema that can't be used",
        issues: [{ path: "#/properties/a", issue: "ref-unresolved" }],
      },
    ])
  })

  it("is also what mcp_status reports of a server, and system/init does not", () => {
    const registration = { client: null, hooks: {}, sdk_servers: { calc: {} }, connected: [server] }
    // It reads only the registration.
    const servers = new McpServers({ registration } as unknown as Clients, () => "uuid", noRemoteServers, null)
    const fingerprint = catalogue.others[0]?.schema_fingerprint
    const tools = [{ name: "add", annotations: {}, schema_fingerprint: fingerprint }]
    expect(servers.report()).toEqual([
      {
        name: "calc",
        status: "connected",
        source: "sdk",
        transport: "sdk",
        scope: "dynamic",
        tools,
        rejected_tools: refused,
      },
    ])
    expect(JSON.stringify(servers.status())).not.toContain("rejected")
  })

  it("has the same fingerprints when schemas have examples, because no value is checked against those", () => {
    const without = { ...CITY, properties: { city: { type: "string" } } }
    expect(fingerprintOf(without)).toBe(fingerprintOf(CITY))
    expect(catalogue.others.find(({ name }) => name === "weather")?.input_schema).toEqual(CITY)
  })
})

describe("the events that record a call", () => {
  it("contain the fingerprint of the schema that the input was checked against", async () => {
    const harness = sessions.harnessOf()
    const booted = harness.boot()
    booted.workspace.writeBytes("/workspace/a.txt", "a")
    const name = scriptName("catalogue")
    sessions.api.set(name, [{ content: [call("Read", { file_path: "/workspace/a.txt" })] }, textAnswer("done")])
    prompt(booted.session, promptFor(name))
    await booted.idle()
    await booted.directCalls.call("Glob", { pattern: "*" })
    const recorded = eventsOf(booted.log).flatMap(({ name: event, payload }) => {
      const { schema_fingerprint: fingerprint, hook_event_name: hook } = payload as Record<string, unknown>
      return fingerprint === undefined ? [] : [[event, hook, fingerprint]]
    })
    expect(recorded).toContainEqual(["hook:fired", "PreToolUse", toolByName("Read")!.agentSchema.fingerprint])
    expect(recorded).toContainEqual(["tool:called", undefined, toolByName("Glob")!.agentSchema.fingerprint])
  })
})
