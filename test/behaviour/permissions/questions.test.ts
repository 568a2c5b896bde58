// The content of an ask: its cause, the path that caused it, and the updates that would make the next one unnecessary.
import { describe, expect, it } from "vitest"
import { SCOPES } from "../../../src/schemas/access.ts"
import { decide, type JudgedCall, questionFields } from "../../../src/permissions/decide.ts"
import { applyUpdate, type Policy } from "../../../src/permissions/policy.ts"
import { bash, call, edit, policy, read, ruled, write } from "../../permissions/calls.ts"
import { loop } from "../../support/session/loop.ts"
import { joining, keyOf } from "./actors.ts"

const join = joining(loop())

const asked = (one: JudgedCall, rules: Policy) => {
  const decision = decide(one, rules)
  if (decision.behavior !== "ask") throw new Error(`it was not asked but ${decision.behavior}`)
  return decision
}
const fields = (one: JudgedCall, rules: Policy) => questionFields(asked(one, rules))

const setMode = { type: "setMode", mode: "acceptEdits", destination: "session" }
const addDirectory = (path: string) => ({ type: "addDirectories", directories: [path], destination: "session" })
const addRules = (toolName: string, contents: ReadonlyArray<string>, destination = "localSettings") => ({
  type: "addRules",
  rules: contents.map((ruleContent) => ({ toolName, ruleContent })),
  behavior: "allow",
  destination,
})

describe("asks about files", () => {
  it("an edit suggests acceptEdits, and gives no reason", () => {
    for (const one of [write("/workspace/n.txt"), edit("/workspace/n.txt")])
      expect(fields(one, policy("default"))).toEqual({ suggestions: [setMode] })
  })

  it("an edit outside also suggests adding its directory", () => {
    const reason = { decision_reason_type: "workingDir", decision_reason: expect.stringContaining("/tmp/o.txt") }
    expect(fields(write("/tmp/o.txt"), policy("default"))).toEqual({
      suggestions: [setMode, addDirectory("/tmp")],
      ...reason,
    })
    expect(fields(write("/tmp/o.txt"), policy("acceptEdits"))).toEqual({
      suggestions: [addDirectory("/tmp")],
      ...reason,
    })
  })

  it("a guarded path suggests at most a mode", () => {
    const reason = { decision_reason_type: "safetyCheck", decision_reason: expect.stringContaining(".git/hooks/x") }
    const one = write("/workspace/.git/hooks/x")
    expect(fields(one, policy("default"))).toEqual({ suggestions: [setMode], ...reason })
    expect(fields(one, policy("acceptEdits"))).toEqual({ suggestions: [], ...reason })
  })

  it("a write in plan mode is asked about because of the mode, without a text", () => {
    expect(fields(write("/workspace/a"), policy("plan"))).toMatchObject({ decision_reason_type: "mode" })
    expect(fields(write("/workspace/a"), policy("plan"))).not.toHaveProperty("decision_reason")
  })

  it("a read outside suggests a rule for its directory", () => {
    const suggestions = (path: string) => fields(read(path), policy("default")).suggestions
    expect(fields(read("/etc/hosts"), policy("default"))).toEqual({
      suggestions: [addRules("Read", ["//etc/**"], "session")],
      decision_reason_type: "workingDir",
      decision_reason: expect.any(String),
    })
    expect(suggestions("/hosts")).toEqual([])
    expect(fields(bash("ls /hosts"), policy("default"))).toEqual({ suggestions: [], blocked_path: "/hosts" })
  })

  it("what is suggested for a directory is the directory itself", () => {
    const isDirectory = (path: string) => path === "/data"
    const suggestions = (call: JudgedCall) => fields({ ...call, isDirectory }, policy("default")).suggestions
    expect(suggestions(read("/data"))).toEqual([addRules("Read", ["//data/**"], "session")])
    expect(suggestions(bash("ls /data"))).toEqual([
      addRules("Bash", ["ls /data"]),
      addRules("Read", ["//data/**"], "session"),
    ])
    expect(suggestions(bash("touch /data"))).toEqual([
      addRules("Bash", ["touch /data"]),
      addDirectory("/data"),
      setMode,
    ])
    expect(suggestions(bash("touch /data/x"))).toEqual([
      addRules("Bash", ["touch /data/x"]),
      addDirectory("/data"),
      setMode,
    ])
  })
})

describe("asks about scripts", () => {
  const place = [addDirectory("/workspace"), setMode]

  it("a command that edits names the path, and gives no reason", () => {
    expect(fields(bash("touch a1"), policy("default"))).toEqual({
      suggestions: [addRules("Bash", ["touch a1 *"]), ...place],
      blocked_path: "/workspace/a1",
    })
    expect(fields(bash("rm -rf /workspace/zzz"), policy("default"))).toEqual({
      suggestions: [addRules("Bash", ["rm -rf /workspace/zzz"]), ...place],
      blocked_path: "/workspace/zzz",
    })
    expect(fields(bash("touch /tmp/x"), policy("acceptEdits"))).toEqual({
      suggestions: [addRules("Bash", ["touch /tmp/x"]), addDirectory("/tmp")],
      blocked_path: "/tmp/x",
    })
  })

  it.each([
    ['python3 -c "print(1)"', 'python3 -c "print(1)"'],
    ['bash -c "echo made"', 'bash -c "echo made"'],
    ["npm test", "npm test *"],
    ["npm test --watch", "npm test *"],
    ["make", "make"],
    ["sudo npm test", "sudo npm test"],
    ["git push origin main", "git push *"],
    ["prettier *.ts", "prettier \\*.ts"],
  ])("%s suggests the rule %s", (command, content) => {
    expect(fields(bash(command), policy("default"))).toEqual({
      suggestions: [addRules("Bash", [content])],
      decision_reason_type: "other",
      decision_reason: expect.any(String),
    })
  })

  it("a compound script asks about the parts that are not covered", () => {
    const git = policy("default", { allowedTools: ["Bash(git:*)"] })
    expect(fields(bash("git commit -m x && touch foo"), git)).toEqual({
      suggestions: [addRules("Bash", ["git commit *"]), ...place],
      blocked_path: "/workspace/foo",
    })
    expect(fields(bash("npm test && touch foo; ls"), git)).toEqual({
      suggestions: [addRules("Bash", ["npm test *", "touch foo *"])],
      decision_reason_type: "subcommandResults",
    })
  })

  it("a call of git with a text of several lines suggests the rule of its subcommand, no other program does", () => {
    const withText = (command: string) => `${command} -m "$(cat <<'X'\nfirst\nsecond\nX\n)"`
    const updates = (script: string) => fields(bash(script), policy("default")).suggestions
    expect(updates(withText("git commit"))).toEqual([addRules("Bash", ["git commit *"])])
    expect(updates(`npm test && ${withText("git commit")}`)).toEqual([addRules("Bash", ["npm test *", "git commit *"])])
    expect(updates(`npm test && ${withText("sudo git commit")}`)).toEqual([addRules("Bash", ["npm test *"])])
  })

  it("a redirection suggests its directory, and a rule for the command whose output it writes", () => {
    expect(fields(bash("echo a > /etc/b"), policy("default"))).toEqual({
      suggestions: [addRules("Bash", ["echo a *"]), addDirectory("/etc")],
      blocked_path: "/etc/b",
    })
    expect(fields(bash("cat < /etc/b"), policy("default"))).toEqual({
      suggestions: [addRules("Read", ["//etc/**"], "session")],
      blocked_path: "/etc/b",
    })
  })

  it("a path that can't be determined needs an ask, and is not named", () => {
    expect(fields(bash("cat $X"), policy("default"))).not.toHaveProperty("blocked_path")
    expect(fields(bash("touch $X"), policy("acceptEdits"))).toMatchObject({ decision_reason_type: "other" })
  })
})

describe("asks about other tools", () => {
  it("suggest the tool, or the domain", () => {
    expect(fields(call("mcp__calc__add", { mcpServer: "calc" }), policy("default"))).toEqual({
      suggestions: [
        { type: "addRules", rules: [{ toolName: "mcp__calc__add" }], behavior: "allow", destination: "localSettings" },
      ],
    })
    expect(fields(call("WebFetch", { readOnly: true, subject: "https://a.example/x" }), policy("default"))).toEqual({
      suggestions: [addRules("WebFetch", ["domain:a.example"])],
    })
  })

  it("an ask rule suggests nothing, and a rule for a whole tool is named", () => {
    expect(fields(bash("touch a"), ruled({ ask: ["Bash(touch *)"] }))).toEqual({ decision_reason_type: "rule" })
    expect(fields(write("/workspace/a"), ruled({ ask: ["Write"] }))).toEqual({
      matched_ask_rule: { source: "flagSettings", tool_name: "Write" },
    })
  })
})

describe("accepted suggestions", () => {
  it.each([
    ["an edit", write("/workspace/n.txt")],
    ["an edit outside", write("/tmp/n.txt")],
    ["a read outside", read("/etc/hosts")],
    ["a command that edits", bash("touch a1")],
    ["a command that edits outside", bash("touch /tmp/a1")],
    ["an unknown command", bash("npm test")],
    ["a command with a star", bash("prettier '*.ts' *.md")],
    ["several commands", bash("npm test && touch foo; python3 -c 'x && y'")],
    ["a read of a script outside", bash("cat /etc/hosts")],
    ["a redirection", bash("cat < /tmp/in")],
    ["an MCP tool", call("mcp__calc__add", { mcpServer: "calc" })],
    ["a fetch", call("WebFetch", { readOnly: true, subject: "https://a.example/x" })],
  ])("spare the next question about %s", (_, one) => {
    const before = policy("default")
    const after = (asked(one, before).suggestions ?? []).reduce(applyUpdate, before)
    expect(decide(one, after).behavior).toBe("allow")
  })
})

describe("asks about scripts in plan mode", () => {
  const withoutMode = [addRules("Bash", ["touch zz *"]), addDirectory("/workspace")]

  it.each([
    ["default", [...withoutMode, setMode]],
    ["acceptEdits", withoutMode],
    ["bypassPermissions", withoutMode],
  ] as const)("suggest what %s would, if that was the mode before", (permissionMode, suggestions) => {
    const { session } = join(keyOf([...SCOPES]), { permissionMode })
    session.permissions.setMode("plan")
    expect(fields(bash("touch zz"), session.permissions.policy())).toMatchObject({ suggestions })
  })

  it.each([
    ["default", [addRules("Bash", ["cd sub *"]), setMode]],
    ["acceptEdits", []],
    ["dontAsk", []],
  ] as const)(
    "suggest no directory after cd, and nothing if the mode before was not default: %s",
    (mode, suggestions) => {
      const rules = { ...policy("plan"), modeBeforePlan: mode }
      expect(fields(bash("cd sub && touch zz"), rules)).toMatchObject({ suggestions })
    },
  )
})

describe("asks about redirections", () => {
  const RECORDED: ReadonlyArray<[script: string, path: string | undefined, suggestions: ReadonlyArray<unknown>]> = [
    ["touch zz > out", "/workspace/out", [addRules("Bash", ["touch zz *"]), addDirectory("/workspace")]],
    [
      "cp a.txt b.txt > out",
      "/workspace/out",
      [addRules("Bash", ["cp a.txt b.txt > out"]), addDirectory("/workspace")],
    ],
    [
      "cat /etc/hosts > out",
      "/workspace/out",
      [addRules("Bash", ["cat /etc/hosts > out"]), addDirectory("/workspace")],
    ],
    ["grep x /etc/passwd > /etc/out", "/etc/out", [addRules("Bash", ["grep x *"]), addDirectory("/etc")]],
    [
      "touch zz < /etc/hosts",
      "/etc/hosts",
      [addRules("Bash", ["touch zz *"]), addRules("Read", ["//etc/**"], "session")],
    ],
    ["touch zz > out | cat", undefined, [addRules("Bash", ["touch zz *"]), addDirectory("/workspace"), setMode]],
  ]
  it.each(RECORDED)("%s names %s", (script, path, suggestions) => {
    const { blocked_path, suggestions: got } = fields(bash(script), policy("default"))
    expect([blocked_path, got]).toEqual([path, suggestions])
  })

  it.each(["touch a > b && touch c > d", "cd sub && touch zz > out"])("%s suggests nothing", (script) => {
    expect(fields(bash(script), policy("default"))).not.toHaveProperty("suggestions")
  })
})
