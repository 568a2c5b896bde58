// The permission matrix of the official SDK, and the order of deny, ask and allow.
import { describe, expect, it } from "vitest"
import { decide, type JudgedCall } from "../../src/permissions/decide.ts"
import { applyUpdate, type Policy, policyOf } from "../../src/permissions/policy.ts"
import { parseRule } from "../../src/permissions/rules.ts"
import type { PermissionMode } from "../../src/schemas/sdk/permissions.ts"
import { compileGlob } from "../../src/workspace/glob-pattern.ts"

const base = {
  cwd: "/workspace",
  matchesGlob: (glob: string, path: string) => compileGlob(glob)(path.slice(1)),
  readOnly: false,
  edits: false,
  internal: false,
}
const write = (path: string): JudgedCall => ({ ...base, toolName: "Write", paths: [path], edits: true })
const read = (path: string): JudgedCall => ({ ...base, toolName: "Read", paths: [path], readOnly: true })
const bash = (command: string, more: Partial<JudgedCall> = {}): JudgedCall => ({
  ...base,
  toolName: "Bash",
  command,
  paths: [],
  ...more,
})

const CALLS = {
  "Write in cwd": write("/workspace/a.txt"),
  touch: bash("touch a", { edits: true, paths: ["/workspace/a"] }),
  ls: bash("ls", { readOnly: true }),
  "python3 -c": bash("python3 -c 1"),
  "Write outside": write("/etc/passwd"),
  "Write .git/hooks": write("/workspace/.git/hooks/pre-commit"),
  "Read in cwd": read("/workspace/a.txt"),
  "Read outside": read("/etc/passwd"),
} as const

const policy = (mode: PermissionMode, more: Partial<Parameters<typeof policyOf>[0]> = {}): Policy =>
  policyOf({ permissionMode: mode, ...more }, [])

describe("each mode", () => {
  const MATRIX: Record<string, Record<keyof typeof CALLS, string>> = {
    default: {
      "Write in cwd": "ask",
      touch: "ask",
      ls: "allow",
      "python3 -c": "ask",
      "Write outside": "ask",
      "Write .git/hooks": "ask",
      "Read in cwd": "allow",
      "Read outside": "ask",
    },
    acceptEdits: {
      "Write in cwd": "allow",
      touch: "allow",
      ls: "allow",
      "python3 -c": "ask",
      "Write outside": "ask",
      "Write .git/hooks": "ask",
      "Read in cwd": "allow",
      "Read outside": "ask",
    },
    plan: {
      "Write in cwd": "ask",
      touch: "ask",
      ls: "allow",
      "python3 -c": "ask",
      "Write outside": "ask",
      "Write .git/hooks": "ask",
      "Read in cwd": "allow",
      "Read outside": "ask",
    },
    dontAsk: {
      "Write in cwd": "deny",
      touch: "deny",
      ls: "allow",
      "python3 -c": "deny",
      "Write outside": "deny",
      "Write .git/hooks": "deny",
      "Read in cwd": "allow",
      "Read outside": "deny",
    },
    bypassPermissions: {
      "Write in cwd": "allow",
      touch: "allow",
      ls: "allow",
      "python3 -c": "allow",
      "Write outside": "allow",
      "Write .git/hooks": "allow",
      "Read in cwd": "allow",
      "Read outside": "allow",
    },
  }
  const rows = Object.entries(MATRIX).flatMap(([mode, row]) =>
    Object.entries(row).map(([call, expected]) => [mode, call, expected] as const),
  )
  it.each(rows)("%s: %s is %s", (mode, call, expected) => {
    expect(decide(CALLS[call as keyof typeof CALLS], policy(mode as PermissionMode)).behavior).toBe(expected)
  })

  it("auto runs as default", () => {
    expect(policy("auto").mode).toBe("default")
  })
})

describe("rules", () => {
  it("a deny rule beats an allow rule and bypassPermissions", () => {
    const both = policy("bypassPermissions", { allowedTools: ["Bash"], disallowedTools: ["Bash(rm:*)"] })
    expect(decide(bash("rm -rf x"), both).behavior).toBe("deny")
    expect(decide(bash("cd /tmp && rm -rf x"), both).behavior).toBe("deny")
    expect(decide(bash("echo $(rm x)"), both).behavior).toBe("deny")
    expect(decide(bash("rmdir x"), both).behavior).toBe("allow")
  })

  it("an ask rule beats an allow rule and bypassPermissions", () => {
    const asked = applyUpdate(policy("bypassPermissions", { allowedTools: ["Bash"] }), {
      type: "addRules",
      rules: [parseRule("Bash(git push:*)")],
      behavior: "ask",
      destination: "session",
    })
    expect(decide(bash("git push origin"), asked).behavior).toBe("ask")
    expect(decide(bash("git status"), asked).behavior).toBe("allow")
  })

  it("an allow rule does not cover the rest of a compound command", () => {
    const git = policy("default", { allowedTools: ["Bash(git:*)"] })
    expect(decide(bash("git commit -m x"), git).behavior).toBe("allow")
    expect(decide(bash("git commit -m x && touch y"), git).behavior).toBe("ask")
    expect(decide(bash("git log > out"), git).behavior).toBe("ask")
  })

  it("path rules of Edit cover Write", () => {
    expect(decide(write("/workspace/src/a.ts"), policy("default", { allowedTools: ["Edit(./src/**)"] })).behavior).toBe(
      "allow",
    )
    expect(decide(write("/workspace/b.ts"), policy("default", { allowedTools: ["Edit(./src/**)"] })).behavior).toBe(
      "ask",
    )
    expect(
      decide(write("/workspace/src/a.ts"), policy("acceptEdits", { disallowedTools: ["Edit(./src/**)"] })).behavior,
    ).toBe("deny")
  })

  it("an allow rule does not lift plan mode", () => {
    expect(decide(write("/workspace/a"), policy("plan", { allowedTools: ["Write"] })).behavior).toBe("ask")
  })

  it("the session's own notes are never asked about, but can be denied", () => {
    const todo: JudgedCall = { ...base, toolName: "TodoWrite", paths: [], internal: true }
    expect(decide(todo, policy("plan")).behavior).toBe("allow")
    expect(decide(todo, policy("bypassPermissions", { disallowedTools: ["TodoWrite"] })).behavior).toBe("deny")
  })

  it("an answer's setMode holds from then on", () => {
    const updated = applyUpdate(policy("default"), { type: "setMode", mode: "acceptEdits", destination: "session" })
    expect(decide(write("/workspace/a"), updated).behavior).toBe("allow")
  })
})
