// The order of deny, ask, hooks, guarded paths, allow and mode, and the permission matrix of the official SDK.
import { describe, expect, it } from "vitest"
import { decide, deniedPath, type HookVerdict, questionFields } from "../../src/permissions/decide.ts"
import { policyOf } from "../../src/permissions/policy.ts"
import type { PermissionMode } from "../../src/schemas/sdk/options/permissions.ts"
import { bash, call, CWD, edit, policy, read, ruled, write } from "./calls.ts"
import { touchedPath } from "../../src/workspace/touched-path.ts"

const ALLOW: HookVerdict = { behavior: "allow" }
const ASK: HookVerdict = { behavior: "ask", reason: "please look" }

describe("each mode", () => {
  const CALLS = {
    "Write in cwd": write("/workspace/a.txt"),
    "Edit in cwd": edit("/workspace/a.txt"),
    touch: bash("touch a"),
    ls: bash("ls"),
    "git status": bash("git status"),
    "python3 -c": bash('python3 -c "print(1)"'),
    "Write outside": write("/etc/passwd"),
    "rm -rf in cwd": bash("rm -rf /workspace/zzz"),
    "Write .git/hooks": write("/workspace/.git/hooks/pre-commit"),
    "touch .git/hooks": bash("touch .git/hooks/pre-commit"),
    "Read in cwd": read("/workspace/a.txt"),
    "Read outside": read("/etc/passwd"),
    "cat outside": bash("cat /etc/passwd"),
    "redirect in cwd": bash("echo a > b"),
    "redirect outside": bash("echo a > /etc/b"),
    "an MCP tool": call("mcp__calc__add", { mcpServer: "calc", readOnly: true }),
    WebFetch: call("WebFetch", { readOnly: true, subject: "https://example.com/a" }),
    notes: call("TodoWrite", { internal: true }),
    "a question": call("AskUserQuestion", { asksAlways: true }),
  } as const
  const ROWS: Record<keyof typeof CALLS, string> = {
    //                   default acceptEdits plan dontAsk bypassPermissions
    "Write in cwd": "ask allow ask deny allow",
    "Edit in cwd": "ask allow ask deny allow",
    touch: "ask allow ask deny allow",
    ls: "allow allow allow allow allow",
    "git status": "allow allow allow allow allow",
    "python3 -c": "ask ask ask deny allow",
    "Write outside": "ask ask ask deny allow",
    "rm -rf in cwd": "ask allow ask deny allow",
    "Write .git/hooks": "ask ask ask deny allow",
    "touch .git/hooks": "ask ask ask deny allow",
    "Read in cwd": "allow allow allow allow allow",
    "Read outside": "ask ask ask deny allow",
    "cat outside": "ask ask ask deny allow",
    "redirect in cwd": "ask allow ask deny allow",
    "redirect outside": "ask ask ask deny allow",
    "an MCP tool": "ask ask ask deny allow",
    WebFetch: "ask ask ask deny allow",
    notes: "allow allow allow allow allow",
    "a question": "ask ask ask deny ask",
  }
  const MODES: ReadonlyArray<PermissionMode> = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]
  const cells = Object.entries(ROWS).flatMap(([name, row]) =>
    row.split(" ").map((expected, column) => [MODES[column]!, name as keyof typeof CALLS, expected] as const),
  )
  it.each(cells)("%s: %s is %s", (mode, name, expected) => {
    expect(decide(CALLS[name], policy(mode)).behavior).toBe(expected)
  })

  it.each(MODES)("%s: the session's own plan file is written without an ask, unless a rule applies to it", (mode) => {
    const own = { ...write("/workspace/.perch/plans/s.md"), ownPlan: true }
    expect(decide(own, policy(mode)).behavior).toBe("allow")
    expect(decide(own, policy(mode), ALLOW).behavior).toBe("allow")
    expect(decide(own, ruled({ deny: ["Write"] }, mode)).behavior).toBe("deny")
    expect(decide(own, ruled({ ask: ["Write"] }, mode)).behavior).not.toBe("allow")
  })

  it("auto behaves as default", () => {
    expect(policy("auto").mode).toBe("default")
  })
})

describe("the order", () => {
  it("a deny rule beats a hook's allow, an ask rule, an allow rule and bypassPermissions", () => {
    const rules = ruled({ deny: ["Bash(touch *)"], ask: ["Bash"], allow: ["Bash"] }, "bypassPermissions")
    const decision = decide(bash("touch zz"), rules, ALLOW)
    expect(decision).toMatchObject({ behavior: "deny", reason: { type: "subcommandResults" } })
    expect(decision.behavior === "deny" && decision.message).toMatch(/Bash.*touch zz/)
    expect(decide(write("/workspace/a"), ruled({ deny: ["Write"] }, "bypassPermissions"), ALLOW)).toMatchObject({
      behavior: "deny",
      reason: { type: "rule" },
    })
  })

  // As recorded.
  it.each([
    ["Bash(touch:*)", "touch a", "subcommandResults"],
    ["Bash(touch *)", "touch a > b", "subcommandResults"],
    ["Bash(touch:*)", "A=1 touch a", "subcommandResults"],
    ["Bash(touch:*)", "if true; then touch a; fi", "subcommandResults"],
    ["Bash(touch a)", "touch a && echo b", "subcommandResults"],
    ["Bash(touch a)", "touch a", "rule"],
    ["Bash(touch:*)", "(touch a)", "rule"],
    ["Bash(touch:*)", "{ touch a; }", "rule"],
    ["Bash(touch:*)", "echo $(touch a)", "rule"],
    ["Bash", "touch a", "rule"],
  ])("the deny rule %s on %j has the reason %s, whether or not a rule allows the command", (rule, script, type) => {
    for (const allow of [[], ["Bash(touch:*)"]]) {
      const decision = decide(bash(script), ruled({ deny: [rule], allow }, "default"))
      expect(decision).toMatchObject({ behavior: "deny", reason: { type } })
    }
  })

  it.each(["default", "acceptEdits", "plan", "bypassPermissions"] as const)(
    "an ask rule beats a hook's allow and an allow rule in %s",
    (mode) => {
      const rules = ruled({ ask: ["Bash(git push:*)"], allow: ["Bash"] }, mode)
      expect(decide(bash("git push origin"), rules, ALLOW)).toMatchObject({
        behavior: "ask",
        reason: { type: "rule" },
      })
      expect(decide(bash("git status"), rules, ALLOW).behavior).toBe("allow")
    },
  )

  it("an ask of a rule also names the tool's own cause", () => {
    const rules = ruled({ ask: ["Write"], allow: ["Write"] }, "bypassPermissions")
    expect(decide(write("/workspace/a"), rules)).toMatchObject({
      reason: { tacit: true },
      matchedAskRule: { source: "flagSettings", tool_name: "Write" },
    })
    expect(decide(write("/etc/a"), rules)).toMatchObject({
      reason: { type: "workingDir" },
      matchedAskRule: { tool_name: "Write" },
    })
    expect(decide(write("/workspace/.git/a"), rules)).toMatchObject({ reason: { type: "safetyCheck" } })
  })

  it("an ask of a rule about a question to the user names only the rule", () => {
    const decision = decide(
      call("AskUserQuestion", { asksAlways: true, readOnly: true }),
      ruled({ ask: ["AskUserQuestion"] }),
    )
    if (decision.behavior !== "ask") throw new Error("it was not asked")
    expect(questionFields(decision)).toEqual({
      matched_ask_rule: { source: "flagSettings", tool_name: "AskUserQuestion" },
    })
  })

  it("a rule is the cause of the ask about a tool of an MCP server in plan mode", () => {
    const decision = decide(call("mcp__s__t", { mcpServer: "s" }), ruled({ ask: ["mcp__s"] }, "plan"))
    expect(decision).toMatchObject({ behavior: "ask", reason: { type: "rule" }, suggestions: null })
    expect(decision).not.toHaveProperty("matchedAskRule")
  })

  it.each(["default", "plan", "bypassPermissions"] as const)(
    "a rule is the cause of the ask about a call that needs no permission (%s)",
    (mode) => {
      const decision = decide(call("EnterPlanMode", { internal: true }), ruled({ ask: ["EnterPlanMode"] }, mode))
      expect(decision).toMatchObject({ behavior: "ask", reason: { type: "rule" } })
      expect(decision).not.toHaveProperty("matchedAskRule")
    },
  )

  it("a hook's ask beats bypassPermissions and allow rules, and its reason is passed on unchanged", () => {
    const decision = decide(write("/workspace/a"), policy("bypassPermissions", { allowedTools: ["Write"] }), ASK)
    expect(decision).toMatchObject({ behavior: "ask", message: "please look", reason: { type: "hook" } })
    if (decision.behavior !== "ask") throw new Error("it was not asked")
    expect(questionFields(decision)).toEqual({ decision_reason_type: "hook", decision_reason: "please look" })
    expect(decide(read("/workspace/a"), policy("dontAsk"), ASK)).toMatchObject({ behavior: "ask" })
  })

  it.each([
    [".git/config", "default"],
    [".git/config", "acceptEdits"],
    [".git/config", "plan"],
    ["sub/.git/hooks/x", "default"],
    [".GIT/config", "default"],
    [".vscode/tasks.json", "acceptEdits"],
    [".claude/settings.json", "acceptEdits"],
    [".bashrc", "acceptEdits"],
    ["a/.mcp.json", "acceptEdits"],
  ] as const)("%s is guarded in %s, whatever a hook or a rule allows", (path, mode) => {
    const rules = ruled({ allow: ["Write", "Bash", "Edit(**)"] }, mode)
    const asked = { behavior: "ask", reason: { type: "safetyCheck" } }
    expect(decide(write(`/workspace/${path}`), rules, ALLOW)).toMatchObject(asked)
    expect(decide(bash(`touch ${path}`), rules, ALLOW)).toMatchObject(asked)
    expect(decide(bash(`ls; echo a >> ${path}`), rules, ALLOW)).toMatchObject(asked)
    expect(decide(read(`/workspace/${path}`), rules).behavior).toBe("allow")
  })

  const SPELLINGS = [
    ".GIT/config",
    ".Git/hooks/x",
    "./.git/config",
    ".git/./config",
    ".git//config",
    "sub/../.git/config",
    "sub/.git/",
    ".git/.",
    ".g\u200cit/config",
    ".git\u200d/config",
    "\ufeff.git/config",
    "\uff0egit/config",
    ".ｇｉｔ/config",
    ".git./config",
    ".git /config",
    ".git::$INDEX_ALLOCATION/config",
    "git~1/config",
    "GIT~1/config",
    ".claude/Settings.JSON",
    ".VSCODE/tasks.json",
    ".BashRC",
    ".mcp.json ",
  ]
  it.each(SPELLINGS)(`%j is guarded, as ${SPELLINGS.length} spellings are`, (path) => {
    const absolute = touchedPath(path, CWD)
    expect(decide(write(absolute), policy("acceptEdits")).behavior).toBe("ask")
    expect(decide(bash(`touch '${path}'`), policy("acceptEdits")).behavior).toBe("ask")
  })

  it.each([".gitignore", ".github/a.yml", "git/hooks/x", "a.git", ".bashrc.txt"])("%s is not guarded", (path) => {
    expect(decide(write(`/workspace/${path}`), policy("acceptEdits")).behavior).toBe("allow")
  })

  it("a hook's allow beats the default ask and dontAsk, but not plan mode for calls that do not only read", () => {
    const allowed = { behavior: "allow", reason: { type: "hook" } }
    expect(decide(write("/etc/a"), policy("default"), ALLOW)).toMatchObject(allowed)
    expect(decide(bash("python3 x"), policy("dontAsk"), ALLOW)).toMatchObject(allowed)
    expect(decide(read("/etc/a"), policy("plan"), ALLOW)).toMatchObject(allowed)
    for (const one of [write("/workspace/a"), bash("touch a"), call("mcp__calc__add")]) {
      expect(decide(one, policy("plan"), ALLOW)).toMatchObject({ behavior: "ask", reason: { type: "mode" } })
    }
  })

  it("an allow rule applies in dontAsk, and in plan mode only for commands and skills", () => {
    const allowedTools = ["Bash(touch *)", "Edit(./n)", "Write"]
    expect(decide(bash("touch q"), policy("dontAsk", { allowedTools })).behavior).toBe("allow")
    expect(decide(edit("/workspace/n"), policy("dontAsk", { allowedTools })).behavior).toBe("allow")
    expect(decide(bash("touch q"), policy("plan", { allowedTools })).behavior).toBe("allow")
    expect(decide(bash("touch q > n"), policy("plan", { allowedTools })).behavior).toBe("ask")
    for (const one of [edit("/workspace/n"), write("/workspace/x")]) {
      expect(decide(one, policy("plan", { allowedTools }))).toMatchObject({ behavior: "ask", reason: { type: "mode" } })
    }
    expect(decide(bash("ls"), policy("plan", { allowedTools: ["Bash(ls)"] })).behavior).toBe("allow")
    const skill = call("Skill", { subject: "tidy" })
    expect(decide(skill, policy("plan", { allowedTools: ["Skill(tidy)"] })).behavior).toBe("allow")
  })

  it("the session's own notes and questions to the user can be denied", () => {
    const rules = policy("bypassPermissions", { disallowedTools: ["TodoWrite", "AskUserQuestion"] })
    expect(decide(call("TodoWrite", { internal: true }), rules).behavior).toBe("deny")
    expect(decide(call("AskUserQuestion", { asksAlways: true }), rules, ALLOW).behavior).toBe("deny")
    expect(decide(call("ExitPlanMode", { asksAlways: true }), policy("default"), ALLOW).behavior).toBe("ask")
  })
})

describe("why a call may run", () => {
  it.each([
    ["a bare rule", bash("ls"), policy("default", { allowedTools: ["Bash"] }), "rule"],
    ["a rule with an empty pattern", bash("ls"), policy("default", { allowedTools: ["Bash(*)"] }), "rule"],
    [
      "a rule for commands",
      bash("touch a"),
      policy("default", { allowedTools: ["Bash(touch *)"] }),
      "subcommandResults",
    ],
    ["a command that reads", bash("git status"), policy("default"), "subcommandResults"],
    ["a command that edits", bash("touch a"), policy("acceptEdits"), "subcommandResults"],
    ["bypassPermissions", bash("ls"), policy("bypassPermissions", { allowedTools: ["Bash"] }), "mode"],
    ["an edit", write("/workspace/a"), policy("acceptEdits"), "mode"],
    ["a read", read("/workspace/a"), policy("default"), "mode"],
    ["a bare rule for reads", read("/workspace/a"), policy("default", { allowedTools: ["Read"] }), "rule"],
    ["a path rule", write("/workspace/n"), policy("dontAsk", { allowedTools: ["Edit(./n)"] }), "rule"],
  ])("%s", (_, one, rules, type) => {
    expect(decide(one, rules)).toMatchObject({ behavior: "allow", reason: { type } })
  })
})

describe("paths denied before any hook", () => {
  it("are matched by Edit and Read rules", () => {
    const rules = ruled({ deny: ["Edit(./n.txt)", "Read(./secret/**)", "Write(./other.txt)", "Glob"] })
    expect(deniedPath(write("/workspace/n.txt"), rules)).toBeTypeOf("string")
    expect(deniedPath(read("/workspace/secret/k.txt"), rules)).toBeTypeOf("string")
    expect(deniedPath(read("/workspace/n.txt"), rules)).toBeNull()
    expect(deniedPath(write("/workspace/other.txt"), rules)).toBeNull()
    expect(deniedPath(call("Glob", { paths: ["/workspace"], readOnly: true }), rules)).toBeNull()
    expect(deniedPath(bash("cat secret/k.txt"), rules)).toBeNull()
  })

  it("a file that a deny rule forbids to read is not changed by Write and Edit either", () => {
    const rules = ruled({ deny: ["Read(./secret/**)"] })
    for (const make of [write, edit]) {
      expect(deniedPath(make("/workspace/secret/new.txt"), rules)).toMatch(/reading/)
      expect(deniedPath(make("/workspace/n.txt"), rules)).toBeNull()
      expect(deniedPath(make("/workspace/n.txt"), ruled({ deny: ["Read"] }))).toMatch(/reading/)
      expect(deniedPath(make("/workspace/n.txt"), ruled({ ask: ["Read"], allow: ["Read"] }))).toBeNull()
    }
  })

  it("an entry of disallowedTools for the tool Read forbids no change, and one with a path does", () => {
    const listed = (rule: string) => policyOf({ disallowedTools: [rule] }, [])
    expect(deniedPath(write("/workspace/n.txt"), listed("Read"))).toBeNull()
    expect(deniedPath(write("/workspace/n.txt"), listed("Read(./n.txt)"))).toMatch(/reading/)
  })
})

describe("the message to the model when no client can be asked", () => {
  const messageOf = (decision: ReturnType<typeof decide>) => (decision.behavior === "allow" ? "" : decision.message)

  it("names the tool or its target", () => {
    expect(messageOf(decide(write("/workspace/a"), policy("default")))).toContain("write to /workspace/a")
    expect(messageOf(decide(read("/etc/a"), policy("default")))).toContain("read /etc/a")
    expect(messageOf(decide(bash("python3 x"), policy("default")))).toContain("needs approval")
    expect(messageOf(decide(call("mcp__calc__add"), policy("default")))).toContain("mcp__calc__add")
    expect(messageOf(decide(write("/workspace/a"), policy("plan")))).toContain("/workspace/a can't be written")
    expect(messageOf(decide(write("/workspace/a"), policy("dontAsk")))).toMatch(/Write.*dontAsk/)
  })
})
