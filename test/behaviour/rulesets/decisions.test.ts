// Decisions of `options.permission` about calls, row by row; and how it combines with the rules of the SDK, hooks and saved
// approvals.
import { describe, expect, it } from "vitest"
import { decide, type Decision, type HookVerdict, questionFields } from "../../../src/permissions/decide.ts"
import { refusedCommand } from "../../../src/permissions/command-rules.ts"
import { deniedPath } from "../../../src/permissions/decide.ts"
import { deniedUrls } from "../../../src/permissions/denied-urls.ts"
import { refusedFile, refusesNothing } from "../../../src/permissions/file-rules.ts"
import { bash, CWD, policy, read, write } from "../../permissions/calls.ts"
import * as Decisions from "./decisions-table.ts"
import type { Expected, Row } from "./rows.ts"
import * as Scripts from "./scripts-table.ts"

const shown = (decision: Decision): Expected =>
  decision.behavior === "ask" && decision.matchedAskRule !== undefined ? "asks" : decision.behavior

const titled = (rows: ReadonlyArray<Row>) =>
  rows.map((row) => {
    const { command, paths, toolName, spelled, search } = row.call
    const what = JSON.stringify(command ?? [toolName, search ?? spelled ?? paths]).slice(0, 120)
    return [`${JSON.stringify(row.rules).slice(0, 120)} ${row.mode ?? ""} ${what}`, row] as const
  })

describe.each(Object.entries({ ...Decisions, ...Scripts }))("%s", (_, rows) => {
  it.each(titled(rows))("%s", (_title, { rules, mode = "default", call, expected }) => {
    expect(shown(decide(call, policy(mode, { permission: rules })))).toBe(expected)
  })
})

const GIT = { bash: { "*": "ask", "git *": "allow", "git push *": "deny" } } as const
const decided = (options: Parameters<typeof policy>[1], one: Parameters<typeof decide>[0], hook?: HookVerdict) =>
  shown(decide(one, policy("default", options), hook))

describe("together with the rules of the SDK", () => {
  it("a deny or ask of either side beats any allow", () => {
    expect(decided({ permission: "allow", disallowedTools: ["Bash(npm:*)"] }, bash("npm x"))).toBe("deny")
    expect(decided({ permission: "allow", settings: { permissions: { ask: ["Bash(npm:*)"] } } }, bash("npm x"))).toBe(
      "ask",
    )
    expect(decided({ permission: { bash: "deny" }, allowedTools: ["Bash"] }, bash("npm x"))).toBe("deny")
    expect(decided({ permission: { bash: "ask" }, allowedTools: ["Bash"] }, bash("npm x"))).toBe("asks")
  })

  it("what is asked about by default can be allowed by a rule of the SDK", () => {
    expect(decided({ permission: "ask", allowedTools: ["Bash(npm:*)"] }, bash("npm x"))).toBe("allow")
    expect(decided({ permission: "ask", allowedTools: ["Read"] }, read("/workspace/.env"))).toBe("allow")
    expect(decided({ permission: [], allowedTools: ["Edit(src/**)"] }, write("/workspace/src/a"))).toBe("allow")
  })

  it("commands of one script may be allowed by either", () => {
    const options = { permission: GIT, allowedTools: ["Bash(ls:*)"] }
    expect(decided({ ...options, permission: { bash: { "git *": "allow" } } }, bash("ls -la && git log"))).toBe("allow")
    expect(decided(options, bash("ls -la && git log"))).toBe("asks")
  })
})

describe("together with hooks", () => {
  it("a hook allows what is asked about by default, and nothing that a rule asks about or denies", () => {
    expect(decided({ permission: "ask" }, bash("npm x"), { behavior: "allow" })).toBe("allow")
    expect(decided({ permission: GIT }, bash("npm x"), { behavior: "allow" })).toBe("asks")
    expect(decided({ permission: GIT }, bash("git push"), { behavior: "allow" })).toBe("deny")
    expect(decided({ permission: "allow" }, bash("npm x"), { behavior: "ask" })).toBe("ask")
  })
})

describe("an ask that a rule requires", () => {
  it("suggests nothing, and names the rule", () => {
    const decision = decide(bash("npm x"), policy("default", { permission: GIT }))
    if (decision.behavior !== "ask") throw new Error("expected a question")
    expect(questionFields(decision)).toEqual({
      matched_ask_rule: { source: "cliArg", tool_name: "bash" },
      decision_reason_type: "rule",
    })
  })
})

describe("while a script runs", () => {
  const running = (
    permission: NonNullable<Parameters<typeof policy>[1]>["permission"],
    words: ReadonlyArray<string>,
    approved = false,
  ) => refusedCommand({ toolName: "Bash", words, approved }, policy("default", { permission: permission! }))

  it("a denied command is not run, however it is reached, and one that needs an ask only if it was approved", () => {
    const rules = { bash: { "*": "allow", "rm *": "deny", "git push *": "ask", 'echo "a b"': "deny" } } as const
    expect(running(rules, ["/bin/rm", "-rf", "x"])).toContain("bash(rm *) denies")
    expect(running(rules, ["rm"], true)).toContain("denies")
    expect(running(rules, ["git", "push", "-f"])).toContain("bash(git push *) asks")
    expect(running(rules, ["git", "push", "-f"], true)).toBeNull()
    expect(running(rules, ["echo", "a b"])).toContain("denies")
    expect(running(rules, ["git", "log"])).toBeNull()
    expect(running("deny", ["git", "log"])).toBeNull()
  })

  const use = (
    permission: NonNullable<Parameters<typeof policy>[1]>["permission"],
    more: Partial<Parameters<typeof refusedFile>[0]> = {},
  ) => {
    const file = {
      use: "read",
      names: ["/workspace/k.pem"],
      approved: false,
      bounds: null,
      planFile: "/p",
      cwd: CWD,
      matchesGlob: () => false,
      ...more,
    } as const
    const now = policy("default", { permission: permission! })
    return refusesNothing(file, now) ? null : refusedFile(file, now)
  }

  it("a denied file is not opened, under any of its names", () => {
    const rules = { bash: "allow", read: { "*.pem": "deny", "*.key": "ask" }, edit: { "src/*": "deny" } } as const
    expect(use(rules)).toContain("read(*.pem) denies reading /workspace/k.pem")
    expect(use(rules, { names: ["/workspace/ok", "/workspace/k.pem"], approved: true })).toContain("denies")
    expect(use(rules, { names: ["/workspace/a.key"] })).toContain("read(*.key) asks before reading")
    expect(use(rules, { names: ["/workspace/a.key"], approved: true })).toBeNull()
    expect(use(rules, { use: "change", names: ["/workspace/src/a"] })).toContain("denies changing")
    expect(use(rules, { names: ["/workspace/src/a"] })).toBeNull()
    expect(use("deny")).toBeNull()
  })

  it("a call that was allowed for its files can't open others that need an ask", () => {
    const bounds = { bounds: "unasked" as const, names: ["/workspace/.env"] }
    expect(use({ grep: "allow" }, bounds)).toContain("needs a permission")
    expect(use({ "*": "ask", grep: "allow" }, { ...bounds, names: ["/workspace/a"] })).toBeNull()
    expect(use({ read: "allow" }, bounds)).toBeNull()
    expect(use([], { bounds: "unasked" as const, names: ["/etc/x"] })).toContain("needs a permission")
    expect(
      use({ external_directory: { "/etc/*": "allow" } }, { bounds: "unasked" as const, names: ["/etc/x"] }),
    ).toBeNull()
  })
})

it("a denied path is refused before hooks, and a denied address can't be fetched by any tool", () => {
  const rules = { read: { "secret/*": "deny" }, webfetch: { "*evil*": "deny" } } as const
  expect(deniedPath(read("/workspace/secret/a"), policy("default", { permission: rules }))).toContain("deny")
  expect(deniedPath(read("/workspace/a"), policy("default", { permission: rules }))).toBeNull()
  expect(deniedPath(read("/workspace/a"), policy("default", { permission: "deny" }))).toBeNull()
  const closed = deniedUrls({ cwd: CWD, matchesGlob: () => false }, policy("default", { permission: rules }))
  expect([closed("https://evil.example/"), closed("https://example.com/")]).toEqual([true, false])
})

it("a thousand rules are evaluated in order", () => {
  const rules = Array.from({ length: 999 }, (_, n) => ({
    permission: "bash",
    pattern: `tool${n} *`,
    action: "deny" as const,
  }))
  const permission = [{ permission: "*", pattern: "*", action: "allow" as const }, ...rules]
  expect(decided({ permission }, bash("tool7 x"))).toBe("deny")
  expect(decided({ permission }, bash("tool999 x"))).toBe("allow")
})
