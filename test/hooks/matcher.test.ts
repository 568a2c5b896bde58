import { describe, expect, it } from "vitest"
import { hookMatches } from "../../src/hooks/matcher.ts"
import type { HookEntry } from "../../src/hooks/registry.ts"
import type { HookEvent } from "../../src/schemas/sdk/hooks/hooks.ts"

const matches = (matcher: string | undefined, event: HookEvent, input: Record<string, unknown>): boolean => {
  const entry: HookEntry = {
    id: "client:0",
    kind: "client",
    timeoutMs: 1000,
    onFailure: "continue",
    callbackId: "hook_0",
    ...(matcher === undefined ? {} : { matcher }),
  }
  const first = hookMatches(entry, event, input)
  expect(hookMatches(entry, event, input)).toBe(first)
  return first
}

describe("a matcher on tools", () => {
  it.each([
    [undefined, "Write", true],
    ["", "Write", true],
    ["*", "Write", true],
    ["Write", "Write", true],
    ["write", "Write", false],
    ["Writ", "Write", false],
    ["Write", "TodoWrite", false],
    ["Write|Edit", "Edit", true],
    ["Write|Edit", "Write", true],
    ["Write|Edit", "NotebookEdit", false],
    ["Write, Edit", "Edit", true],
    ["Write | Edit", "Edit", true],
    ["|", "Write", false],
    ["Write|", "Write", true],
    ["mcp__files", "mcp__files__read", false],
    ["mcp__files__read", "mcp__files__read", true],
    ["mcp__my-server__read", "mcp__my-server__read", true],
    ["mcp__files__.*", "mcp__files__read", true],
    ["mcp__.*__write", "mcp__files__write_all", true],
    ["mcp__.*", "Write", false],
    [".*", "Write", true],
    ["^Write$", "Write", true],
    ["^Write$", "TodoWrite", false],
    ["Write.*", "TodoWrite", true],
    ["^Notebook", "NotebookEdit", true],
    ["^(Read|Grep)$", "Grep", true],
    ["^(Read|Grep)$", "Glob", false],
    ["[WE].*t", "Edit", true],
    ["Write\\b", "Write", true],
  ])("%s on %s: %s", (matcher, tool_name, expected) => {
    expect(matches(matcher, "PreToolUse", { tool_name })).toBe(expected)
  })

  it.each([
    ["Task", "Agent", true],
    ["Agent", "Task", true],
    ["Agent", "Agent", true],
    ["Task|Bash", "Agent", true],
    ["^Task$", "Agent", true],
    ["^Agent$", "Task", true],
    ["KillShell", "TaskStop", true],
    ["^Kill", "TaskStop", true],
    ["Task", "TaskCreate", false],
  ])("knows old names of tools: %s on %s: %s", (matcher, tool_name, expected) => {
    expect(matches(matcher, "PostToolUse", { tool_name })).toBe(expected)
  })

  it("is used by every event of a tool", () => {
    const events: ReadonlyArray<HookEvent> = [
      "PreToolUse",
      "PostToolUse",
      "PostToolUseFailure",
      "PermissionRequest",
      "PermissionDenied",
    ]
    for (const event of events) {
      expect(matches("Write", event, { tool_name: "Write" }), event).toBe(true)
      expect(matches("Write", event, { tool_name: "Read" }), event).toBe(false)
    }
  })
})

describe("a matcher on other events", () => {
  it.each([
    ["Notification", "permission_prompt", { notification_type: "permission_prompt" }],
    ["UserPromptExpansion", "review", { command_name: "review" }],
    ["SessionStart", "compact|clear", { source: "clear" }],
    ["SessionEnd", "clear", { reason: "clear" }],
    ["StopFailure", "rate_limit", { error: "rate_limit" }],
    ["SubagentStart", "general-purpose", { agent_type: "general-purpose" }],
    ["SubagentStop", "general-purpose", { agent_type: "general-purpose" }],
    ["PreCompact", "auto", { trigger: "auto" }],
    ["PostCompact", "auto", { trigger: "auto" }],
    ["Setup", "init", { trigger: "init" }],
    ["Elicitation", "files", { mcp_server_name: "files" }],
    ["ElicitationResult", "files", { mcp_server_name: "files" }],
    ["ConfigChange", "skills", { source: "skills" }],
    ["InstructionsLoaded", "session_start", { load_reason: "session_start" }],
    ["FileChanged", ".env|.envrc", { file_path: "/workspace/.env" }],
  ] as const)("looks at the field of %s", (event, matcher, input) => {
    expect(matches(matcher, event, input)).toBe(true)
    const [field] = Object.keys(input)
    expect(matches(matcher, event, { [field!]: "something-else" })).toBe(false)
    expect(matches(matcher, event, {})).toBe(false)
  })

  it.each(["UserPromptSubmit", "Stop", "PostToolBatch", "PreModelSwitch", "TaskCreated", "MessageDisplay"] as const)(
    "is ignored by %s",
    (event) => expect(matches("Write", event, { tool_name: "Read", prompt: "p" })).toBe(true),
  )

  it("on files is literal, so that a dot matches only a dot and the folder does not count", () => {
    expect(matches(".env", "FileChanged", { file_path: "/workspace/xenv" })).toBe(false)
    expect(matches(".env", "FileChanged", { file_path: "/workspace/.env/notes.md" })).toBe(false)
  })

  it("does not apply aliases of tools", () => {
    expect(matches("Task", "SubagentStart", { agent_type: "Agent" })).toBe(false)
  })
})

describe("a matcher that is not a valid expression", () => {
  it.each(["(", "[a", "*Write", `${"a".repeat(1000)}.*`])("%s matches its own text", (text) => {
    expect(matches(text, "PreToolUse", { tool_name: text })).toBe(true)
    expect(matches(text, "PreToolUse", { tool_name: "Write" })).toBe(false)
  })

  it.each(["^(?!Read).*", "(a)\\1", "Write(?=x)"])("%s, which RE2 does not support, matches everything", (text) => {
    expect(matches(text, "PreToolUse", { tool_name: "Write" })).toBe(true)
    expect(matches(text, "PreToolUse", { tool_name: "Read" })).toBe(true)
  })

  it("terminates on a pattern that makes a backtracking engine hang", () => {
    expect(matches("^(a+)+$", "PreToolUse", { tool_name: `${"a".repeat(20_000)}!` })).toBe(false)
    expect(matches("((a{100}){100}){100}", "PreToolUse", { tool_name: "aa" })).toBe(false)
  })
})
