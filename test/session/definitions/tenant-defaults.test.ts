// What a new session takes from its tenant's configuration: every option that it does not set itself.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { TenantConfig } from "../../../src/schemas/api/opencode/config.ts"
import type { SessionOptions } from "../../../src/schemas/sdk/options/options.ts"
import { withTenantDefaults } from "../../../src/session/definitions/tenant-defaults.ts"

const CONFIG: TenantConfig = {
  model: { default: "sonnet" },
  thinking: { budget: 4000 },
  permissions: { mode: "acceptEdits" },
  instructions: "Answer in French.",
  mcp: {
    issues: { type: "remote", url: "https://mcp.acme.com/mcp", transport: "http", headers: { a: "b" }, enabled: true },
    off: { type: "remote", url: "https://mcp.acme.com/off", enabled: false },
    here: { type: "local", enabled: false, command: ["x"] },
  },
}

const ISSUES = { type: "remote", url: "https://mcp.acme.com/mcp", transport: "http", headers: { a: "b" } } as const
const PROMPT = { type: "preset", preset: "claude_code", append: "Answer in French." } as const

describe("the options of a new session", () => {
  it("include everything that the tenant has stored, except servers that are switched off", () => {
    expect(withTenantDefaults({}, CONFIG)).toEqual({
      model: "sonnet",
      maxThinkingTokens: 4000,
      permissionMode: "acceptEdits",
      systemPrompt: PROMPT,
      mcpServers: { issues: ISSUES },
    })
    expect(withTenantDefaults({ maxTurns: 3 }, {})).toEqual({ maxTurns: 3 })
  })

  it.each<readonly [string, SessionOptions, keyof SessionOptions]>([
    ["a model", { model: "haiku" }, "model"],
    ["a model in settings", { settings: { model: "haiku" } }, "model"],
    ["an agent, which may have a model", { agent: "reviewer" }, "model"],
    ["a variant", { variant: "high" }, "maxThinkingTokens"],
    ["thinking", { thinking: { type: "disabled" } }, "maxThinkingTokens"],
    ["a budget", { maxThinkingTokens: 0 }, "maxThinkingTokens"],
    ["no thinking in settings", { settings: { alwaysThinkingEnabled: false } }, "maxThinkingTokens"],
    ["a mode", { permissionMode: "plan" }, "permissionMode"],
    ["a mode in settings", { settings: { permissions: { defaultMode: "plan" } } }, "permissionMode"],
    ["a prompt", { systemPrompt: "Be kind." }, "systemPrompt"],
    ["an append", { systemPrompt: { type: "preset", preset: "claude_code", append: "x" } }, "systemPrompt"],
    ["only its own servers", { strictMcpConfig: true }, "mcpServers"],
  ])("that name %s keep it", (_title, options, name) => {
    expect(withTenantDefaults(options, CONFIG)[name]).toEqual(options[name])
  })

  it("keep their own server of a name, and the preset gets the instructions", () => {
    const own = { type: "http", url: "https://own.example.com" } as const
    const options = { mcpServers: { issues: own }, systemPrompt: { type: "preset", preset: "claude_code" } } as const
    expect(withTenantDefaults(options, CONFIG)).toMatchObject({ mcpServers: { issues: own }, systemPrompt: PROMPT })
  })

  it("are never overridden by a configuration", () => {
    const some = <A>(value: A) => fc.option(fc.constant(value), { nil: undefined })
    const config = fc.record({ model: some({ default: "m" }), thinking: some({ budget: 1 }), instructions: some("x") })
    const options = fc.record({ model: some("own"), maxThinkingTokens: some(7), systemPrompt: some("own") })
    fc.assert(
      fc.property(config, options, (stored, sent) => {
        const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined))
        const kept = Object.fromEntries(Object.entries(stored).filter(([, value]) => value !== undefined))
        expect(withTenantDefaults(given, kept)).toMatchObject(given)
      }),
    )
  })
})
