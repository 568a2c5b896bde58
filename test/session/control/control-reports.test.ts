// The answers that only report: each decodes with the SDK's types, and has the keys that were recorded.
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { Accounting } from "../../../src/agent/transcript/accounting.ts"
import { modelInfos } from "../../../src/model/catalogue/model-infos.ts"
import { policyOf } from "../../../src/permissions/policy.ts"
import { EventNames } from "../../../src/schemas/log/events.ts"
import { decodeControlAnswer } from "../../../src/schemas/sdk/control/control.ts"
import type { McpServerStatus } from "../../../src/schemas/sdk/control/mcp-status.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import type { PermissionUpdate } from "../../../src/schemas/sdk/options/permissions.ts"
import {
  costAnswer,
  initializeAnswer,
  mcpStatusAnswer,
  modelsAnswer,
  permissionRulesAnswer,
  usageAnswer,
} from "../../../src/session/control/control-reports.ts"
import { sessionUsage } from "../../../src/session/control/session-usage.ts"
import { scenarios } from "../../conformance/recorded.ts"
import { openWorkspace } from "../../workspace/sql-twin.ts"
import { numberedEvent, type TestName } from "../../support/session/log-event.ts"

const decoded = <A>(subtype: string, answer: A): A => {
  expect(Result.getOrThrow(decodeControlAnswer(subtype, answer))).toStrictEqual(answer)
  return answer
}

// ---- a log with two requests, a failed price, three changed files and a turn that ended

const USAGE = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 }
const call = (model: string, usd: number | null, ms: number) => ({
  name: EventNames.callFinished,
  payload: {
    message_id: "m",
    request_id: null,
    model,
    stop_reason: "end_turn",
    usage: USAGE,
    usd,
    price_version: "v",
    duration_ms: ms,
    wasted: false,
  },
})
const resultOf = (output: unknown) => ({
  name: "sdk:user" as const,
  payload: { message: { content: [] }, tool_use_result: output },
})
const hunk = (...lines: ReadonlyArray<string>) => ({ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines })
const created = { type: "create", filePath: "/a", content: "1\n2\n", structuredPatch: [], originalFile: null }
const written: ReadonlyArray<{ readonly name: TestName; readonly payload: unknown }> = [
  call("claude-opus-5-5", 0.25, 40),
  resultOf(created),
  resultOf({ type: "update", content: "x", structuredPatch: [hunk(" a", "-b", "+c", "+d")] }),
  resultOf("Error: nothing here"),
  { name: EventNames.toolCalled, payload: { output: { filePath: "/b", structuredPatch: [hunk("-z")] } } },
  call("a-model-without-price", null, 2),
  { name: "sdk:result/success", payload: { duration_ms: 100 } },
]
const events = written.map(({ name, payload }, index) => numberedEvent(index + 1, name, payload))
const accounting = new Accounting(() => undefined)
for (const event of events) accounting.apply(event)

describe("initialize", () => {
  const answer = initializeAnswer({
    models: modelInfos(),
    agents: [{ name: "general-purpose", description: "Does anything", model: "haiku" }],
    commands: [{ name: "compact", description: "Sums the conversation up", argumentHint: "" }],
    hooksApplied: true,
    permissionMode: "default",
    state: "idle",
    apiKeySource: "ANTHROPIC_API_KEY",
  })

  it("decodes, and contains the session's facts", () => {
    expect(decoded("initialize", answer)).toMatchObject({
      output_style: "default",
      available_output_styles: ["default"],
      account: { tokenSource: "none", apiKeySource: "ANTHROPIC_API_KEY", apiProvider: "firstParty" },
      current_permission_mode: "default",
      hooks_applied: true,
      hook_on_failure_supported: true,
      session_state: "idle",
      capabilities: ["interrupt_receipt_v1", "interrupt_cancel_queued_v1"],
    })
  })

  it("contains only keys that were recorded from the official server", () => {
    const recorded = scenarios.flatMap(({ frames }) =>
      frames.flatMap(({ frame: { response } }) => {
        const body = response?.response
        return typeof body === "object" && body !== null && "commands" in body ? [body] : []
      }),
    )
    expect(recorded.length).toBeGreaterThan(50)
    for (const one of recorded) {
      expect(Object.keys(one)).toEqual(expect.arrayContaining(Object.keys(answer)))
      expect(Object.keys(Reflect.get(one, "account"))).toEqual(Object.keys(answer.account))
      const models = Reflect.get(one, "models") as ReadonlyArray<{ readonly keys: ReadonlyArray<string> }>
      const keys = new Set(models.flatMap((model) => model.keys))
      for (const model of answer.models) expect([...keys]).toEqual(expect.arrayContaining(Object.keys(model)))
    }
  })

  it("lists each model once, the default first", () => {
    const values = answer.models.map(({ value }) => value)
    expect(values[0]).toBe("default")
    expect(new Set(values).size).toBe(values.length)
    expect(answer.models).toContainEqual(
      expect.objectContaining({
        value: "opus",
        resolvedModel: "claude-opus-5-5",
        displayName: "Claude Opus 5.5",
        supportsEffort: true,
        supportsAdaptiveThinking: true,
      }),
    )
    expect(answer.models.find(({ value }) => value === "claude-sonnet-4-5")).not.toHaveProperty("supportsEffort")
    expect(modelsAnswer()).toEqual({ models: answer.models })
  })
})

describe("mcp_status", () => {
  const SERVERS: ReadonlyArray<McpServerStatus> = [
    { name: "own", status: "connected", source: "sdk", config: { type: "sdk", name: "own" }, tools: [{ name: "add" }] },
    {
      name: "far",
      status: "failed",
      error: "connection refused",
      config: { type: "http", url: "https://mcp.example/", headers: { authorization: "Bearer secret" } },
    },
    { name: "local", status: "failed", config: { command: "serve", args: ["-v"], env: { KEY: "secret" } } },
    { name: "off", status: "disabled" },
  ]

  it("lists each server, without the secrets of its configuration", () => {
    const answer = decoded("mcp_status", mcpStatusAnswer(SERVERS))
    expect(JSON.stringify(answer)).not.toContain("secret")
    expect(answer.mcpServers[0]).toEqual(SERVERS[0])
    expect(answer.mcpServers[1]?.config).toEqual({ type: "http", url: "https://mcp.example/" })
    expect(answer.mcpServers[2]?.config).toEqual({ command: "serve", args: ["-v"] })
    expect(answer.mcpServers[3]).toEqual(SERVERS[3])
  })
})

describe("list_permission_rules", () => {
  const options: SessionOptions = { allowedTools: ["Read", "Bash(git:*)"], disallowedTools: ["Task"] }
  const answered = (given: SessionOptions, updates: ReadonlyArray<PermissionUpdate> = []) =>
    decoded(
      "list_permission_rules",
      permissionRulesAnswer({ policy: policyOf(given, updates), options: given, cwd: "/w" }),
    )

  it("lists the rules of the options and those that answers added", () => {
    const rules = [{ toolName: "Edit", ruleContent: "./src/**" }]
    const update: PermissionUpdate = { type: "addRules", rules, behavior: "ask", destination: "localSettings" }
    const directories: PermissionUpdate = { type: "addDirectories", directories: ["/more"], destination: "session" }
    expect(answered(options, [update, directories])).toEqual({
      state: {
        rules: [
          { behavior: "allow", source: "cliArg", rule: "Read", editability: "session" },
          { behavior: "allow", source: "cliArg", rule: "Bash(git:*)", editability: "session" },
          { behavior: "deny", source: "cliArg", rule: "Agent", editability: "session" },
          { behavior: "ask", source: "session", rule: "Edit(./src/**)", editability: "session" },
        ],
        workspaceDirectories: [{ path: "/more", source: "session" }],
        originalCwd: "/w",
        managedOnly: false,
      },
    })
  })

  it("names the source of each rule and directory of the policy", () => {
    const given: SessionOptions = {
      additionalDirectories: ["/one"],
      settings: { permissions: { ask: ["Write"], additionalDirectories: ["/two"] } },
    }
    const { state } = answered(given, [{ type: "addDirectories", directories: ["/three"], destination: "session" }])
    expect(state.rules).toEqual([{ behavior: "ask", source: "flagSettings", rule: "Write", editability: "readonly" }])
    expect(state.workspaceDirectories.map(({ source }) => source)).toEqual(["cliArg", "flagSettings", "session"])
  })

  it("omits what an answer removed, at its source", () => {
    const rules = [{ toolName: "Read" }]
    const removed = (destination: PermissionUpdate["destination"]): PermissionUpdate => ({
      type: "removeRules",
      rules,
      behavior: "allow",
      destination,
    })
    const left = (update: PermissionUpdate) => answered(options, [update]).state.rules.map(({ rule }) => rule)
    expect(left(removed("cliArg"))).toEqual(["Bash(git:*)", "Agent"])
    expect(left(removed("session"))).toEqual(["Read", "Bash(git:*)", "Agent"])
  })
})

describe("a session's usage", () => {
  it("is counted from its log", () => {
    expect(sessionUsage(events)).toEqual({ apiMs: 42, turnMs: 100, linesAdded: 4, linesRemoved: 2 })
    expect(sessionUsage([])).toEqual({ apiMs: 0, turnMs: 0, linesAdded: 0, linesRemoved: 0 })
  })

  it("is reported by get_usage for this session only", () => {
    const answer = decoded("get_usage", usageAnswer(accounting, sessionUsage(events)))
    expect(answer).toEqual({
      session: {
        total_cost_usd: 0.25,
        total_api_duration_ms: 42,
        total_duration_ms: 100,
        total_lines_added: 4,
        total_lines_removed: 2,
        model_usage: accounting.modelUsage,
      },
      subscription_type: null,
      rate_limits_available: false,
      rate_limits: null,
      behaviors: null,
    })
    expect(Object.keys(answer.session.model_usage)).toEqual(["claude-opus-5-5", "a-model-without-price"])
  })

  it("is reported by get_session_cost as text", () => {
    const { text, total_cost_usd: usd } = costAnswer(accounting, sessionUsage(events))
    expect(usd).toBe(0.25)
    expect(text.split("\n")).toEqual([
      "Cost: $0.2500 and requests whose price is not known",
      "Time: 0.1 s in turns, 0.0 s of it waiting for the model",
      "Lines: 4 added, 2 removed",
      "Models:",
      "  claude-opus-5-5: $0.2500 for 10 tokens in, 5 out, 3 read from the cache, 2 written to it",
      "  a-model-without-price: $0.0000 for 10 tokens in, 5 out, 3 read from the cache, 2 written to it",
    ])
    const none = costAnswer(new Accounting(() => undefined), sessionUsage([]))
    expect(none.text).not.toContain("Models")
  })
})

describe("rewind_files", () => {
  it("returns the workspace's answer", () => {
    const { workspace } = openWorkspace()
    workspace.checkpoint("one")
    workspace.writeBytes("/workspace/a", "1\n")
    for (const answer of [
      workspace.rewind("none"),
      workspace.rewind("one", { dryRun: true }),
      workspace.rewind("one"),
    ]) {
      decoded("rewind_files", answer)
    }
  })
})
