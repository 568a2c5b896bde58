// A subtask is run by the agent that the router chooses, and by the minimal one if the full one fails.
import { describe, expect, it } from "vitest"
import { detectClaudeCode } from "../../src/interop/detect.ts"
import { type RunResult, runBestAvailableSubagent } from "../../src/interop/run-subagent.ts"
import type { ClaudeCodeConfig } from "../../src/schemas/interop/claude-code-config.ts"
import type { SubagentConfig } from "../../src/schemas/interop/subagent-run.ts"

const config: SubagentConfig = { subtask: { id: "t1", description: "Refactor the parser" }, cwd: "/workspace" }
const DONE: RunResult = {
  success: true,
  subtaskId: "t1",
  filesModified: ["/a"],
  turns: 3,
  tokenUsage: { input_tokens: 10, output_tokens: 5 },
  total_cost_usd: 0.5,
  claudeCodeSessionId: "s",
}
const FAILED: RunResult = { ...DONE, success: false, error: "It broke." }
const SMALL: RunResult = {
  success: true,
  subtaskId: "t1",
  filesModified: ["/a", "/b"],
  turns: 2,
  tokenUsage: { input_tokens: 1, cache_read_input_tokens: 7 },
  total_cost_usd: 0.25,
}

const run = async (full: RunResult, claudeCode: ClaudeCodeConfig = {}, available = true) => {
  const asked: Array<readonly [string, SubagentConfig]> = []
  const events: Array<object> = []
  const result = await runBestAvailableSubagent(
    { config, claudeCode },
    {
      detect: () => ({ available, reason: "" }),
      full: async (one) => {
        asked.push(["full", one])
        return full
      },
      minimal: async (one) => {
        asked.push(["minimal", one])
        return SMALL
      },
      onEvent: (event) => events.push(event),
    },
  )
  return { result, asked, events }
}

describe("the best agent", () => {
  it("is the full one for a complex task, within the limits of the configuration", async () => {
    const { result, asked } = await run(DONE)
    expect(result).toEqual({ ...DONE, mode: "claude-code" })
    expect(asked).toEqual([["full", { ...config, maxTurns: 30, permissionMode: "acceptEdits" }]])
  })

  it("is the minimal one if the full one is off or unavailable", async () => {
    for (const { result, asked } of [await run(DONE, { enabled: false }), await run(DONE, {}, false)]) {
      expect(result).toEqual({ ...SMALL, mode: "minimal" })
      expect(asked).toEqual([
        ["minimal", { ...config, tools: ["Read", "Edit", "Write", "Bash"], model: "haiku", maxTurns: 10 }],
      ])
    }
  })

  it("is followed by the minimal one when the full one fails, and the result covers both", async () => {
    const { result, events } = await run(FAILED)
    expect(result).toEqual({
      success: true,
      subtaskId: "t1",
      filesModified: ["/a", "/b"],
      turns: 5,
      tokenUsage: { input_tokens: 11, output_tokens: 5, cache_read_input_tokens: 7 },
      total_cost_usd: 0.75,
      mode: "minimal",
      claudeCodeSessionId: "s",
    })
    expect(events).toMatchObject([
      { type: "route:decided", mode: "claude-code", reason: "complex" },
      { type: "route:fell_back", error: "It broke." },
    ])
  })

  it("is followed by the minimal one when the full one's function rejects, unless it was aborted", async () => {
    const rejecting = (error: unknown, claudeCode: ClaudeCodeConfig = {}) =>
      runBestAvailableSubagent(
        { config, claudeCode },
        {
          detect: () => ({ available: true, reason: "" }),
          full: () => Promise.reject(error),
          minimal: async () => SMALL,
        },
      )
    class AbortError extends Error {}
    expect(await rejecting(new Error("no process"))).toEqual({ ...SMALL, mode: "minimal" })
    await expect(rejecting(new AbortError("stopped"))).rejects.toThrow("stopped")
    await expect(rejecting(Object.assign(new Error("no credit"), { final: "billing" }))).rejects.toThrow("no credit")
    await expect(rejecting(new Error("off"), { fallbackToMinimal: false })).rejects.toThrow("off")
  })

  it("is not followed after an interrupt, an authentication or billing error, or if the fallback is off", async () => {
    for (const final of ["interrupt", "authentication", "billing"] as const) {
      expect((await run({ ...FAILED, final })).result).toEqual({ ...FAILED, mode: "claude-code" })
    }
    expect((await run(FAILED, { fallbackToMinimal: false })).asked).toHaveLength(1)
  })
})

describe("the full agent is available", () => {
  const resolve = (name: string) => (name === "sonnet" ? "claude-sonnet" : undefined)

  it("with a model that is configured and resolves", () => {
    expect(detectClaudeCode({ configured: true, model: "sonnet", resolve })).toEqual({
      available: true,
      reason: "The model claude-sonnet is configured.",
    })
    expect(detectClaudeCode({ configured: false, model: "sonnet", resolve })).toMatchObject({ available: false })
    expect(detectClaudeCode({ configured: true, model: "nothing", resolve })).toMatchObject({
      available: false,
      reason: expect.stringContaining("nothing"),
    })
  })
})
