// The policy that results from options, settings and updates.
import { describe, expect, it } from "vitest"
import { decide } from "../../src/permissions/decide.ts"
import { applyUpdate, policyOf, withAllowed } from "../../src/permissions/policy.ts"
import { formatRule, parseRule } from "../../src/permissions/rules.ts"
import { bash, edit, policy, read, ruled } from "./calls.ts"

it("a rule with nothing in its parentheses is the whole tool in allowedTools and when it denies; elsewhere it allows nothing", () => {
  const touch = bash("touch a")
  expect(decide(touch, policyOf({ allowedTools: ["Bash()"] }, [])).behavior).toBe("allow")
  expect(decide(touch, policyOf({ settings: { permissions: { allow: ["Bash()"] } } }, [])).behavior).toBe("ask")
  expect(decide(touch, policyOf({ allowedTools: ["Bash(:*)"] }, [])).behavior).toBe("ask")
  expect(decide(touch, withAllowed(policyOf({}, []), ["Bash()"])).behavior).toBe("ask")
  expect(decide(touch, policyOf({ disallowedTools: ["Bash()"] }, [])).behavior).toBe("deny")
})

describe("an allow rule of an answer", () => {
  const touch = bash("touch b")
  const granting = (rules: ReadonlyArray<{ toolName: string; ruleContent?: string }>, type = "addRules" as const) =>
    decide(touch, policyOf({}, [{ type, rules, behavior: "allow", destination: "session" }])).behavior

  // As recorded of the official SDK.
  it.each([
    [[{ toolName: "Bash" }], "allow"],
    [[{ toolName: "Bash", ruleContent: "**" }], "allow"],
    [[{ toolName: "Bash", ruleContent: "" }], "ask"],
    [[{ toolName: "Bash", ruleContent: "*" }], "ask"],
    [[{ toolName: "Bash", ruleContent: ":*" }], "ask"],
    [
      [
        { toolName: "Bash", ruleContent: "" },
        { toolName: "Bash", ruleContent: "touch:*" },
      ],
      "ask",
    ],
    [
      [
        { toolName: "Bash", ruleContent: "*" },
        { toolName: "Bash", ruleContent: "touch:*" },
      ],
      "ask",
    ],
    [
      [
        { toolName: "Bash", ruleContent: ":*" },
        { toolName: "Bash", ruleContent: "touch:*" },
      ],
      "allow",
    ],
  ])("%j: %s", (rules, behavior) => expect(granting(rules)).toBe(behavior))

  it("leaves the other updates of its answer, and a rule that denies means the whole tool", () => {
    const update = (
      behavior: "allow" | "deny",
      ruleContent: string,
      type: "addRules" | "replaceRules" = "addRules",
    ) => ({
      type,
      rules: [{ toolName: "Bash", ruleContent }],
      behavior,
      destination: "session" as const,
    })
    expect(decide(touch, policyOf({}, [update("allow", ""), update("allow", "touch:*")])).behavior).toBe("allow")
    expect(decide(touch, policyOf({}, [update("allow", "*", "replaceRules")])).behavior).toBe("ask")
    for (const content of ["", "*"])
      expect(decide(touch, policyOf({}, [update("deny", content)])).behavior).toBe("deny")
  })
})

describe("a policy", () => {
  it("takes rules, mode and directories from options and settings", () => {
    const made = policyOf(
      {
        allowedTools: ["Read"],
        disallowedTools: ["WebFetch"],
        additionalDirectories: ["/data/"],
        settings: {
          permissions: {
            allow: ["Bash(ls)"],
            deny: ["Edit(x)"],
            ask: ["Write"],
            defaultMode: "acceptEdits",
            additionalDirectories: ["/more"],
          },
        },
      },
      [],
    )
    expect(made.mode).toBe("acceptEdits")
    expect(made.directories).toEqual(["/data", "/more"])
    expect(made.rules.allow.map((rule) => [formatRule(rule), rule.source])).toEqual([
      ["Read", "cliArg"],
      ["Bash(ls)", "flagSettings"],
    ])
    expect(made.rules.deny.map(formatRule)).toEqual(["WebFetch", "Edit(x)"])
    expect(decide(read("/data/a"), made).behavior).toBe("allow")
    expect(decide(edit("/more/a"), made).behavior).toBe("allow")
    expect(decide(bash("touch /more/a && cat /data/b"), made).behavior).toBe("allow")
    expect(decide(edit("/moreover/a"), made).behavior).toBe("ask")
  })

  it("resolves a directory like the paths of calls, however it is written", () => {
    const made = policyOf({ additionalDirectories: ["/data/../etc", "/a/./b//c/", "/..", "/"] }, [])
    expect(made.directories).toEqual(["/etc", "/a/b/c", "/", "/"])
    const one = policyOf({ additionalDirectories: ["/data/../etc"] }, [])
    expect(decide(read("/etc/a"), one).behavior).toBe("allow")
    expect(decide(read("/data/a"), one).behavior).toBe("ask")
    const session = { destination: "session" } as const
    const gone = applyUpdate(one, { type: "removeDirectories", directories: ["/etc/x/.."], ...session })
    expect(gone.directories).toEqual([])
  })

  it("an option's mode takes precedence over the settings' default, and bypassPermissions can be disabled", () => {
    const settings = { permissions: { defaultMode: "plan" } } as const
    expect(policyOf({ permissionMode: "acceptEdits", settings }, []).mode).toBe("acceptEdits")
    const forbidden = ruled({ disableBypassPermissionsMode: "disable" }, "bypassPermissions")
    expect(forbidden.mode).toBe("default")
    const setMode = { type: "setMode", mode: "bypassPermissions", destination: "session" } as const
    expect(applyUpdate(forbidden, setMode).mode).toBe("default")
    expect(applyUpdate(policy("default"), setMode).mode).toBe("bypassPermissions")
  })

  it("replaces and removes rules of the same destination only", () => {
    const start = ruled({ allow: ["Bash(a)"] })
    const session = { behavior: "allow", destination: "session" } as const
    const rules = (made: typeof start) => made.rules.allow.map(formatRule)
    const added = applyUpdate(start, {
      type: "addRules",
      rules: [parseRule("Bash(b)"), parseRule("Bash(c)")],
      ...session,
    })
    expect(rules(added)).toEqual(["Bash(a)", "Bash(b)", "Bash(c)"])
    expect(rules(applyUpdate(added, { type: "removeRules", rules: [parseRule("Bash(b)")], ...session }))).toEqual([
      "Bash(a)",
      "Bash(c)",
    ])
    expect(rules(applyUpdate(added, { type: "removeRules", rules: [parseRule("Bash(a)")], ...session }))).toHaveLength(
      3,
    )
    expect(rules(applyUpdate(added, { type: "replaceRules", rules: [parseRule("Bash(d)")], ...session }))).toEqual([
      "Bash(a)",
      "Bash(d)",
    ])
  })

  it("directories can be added and removed by updates", () => {
    const session = { destination: "session" } as const
    const added = applyUpdate(policy("default"), { type: "addDirectories", directories: ["/data/"], ...session })
    expect(decide(read("/data/x"), added).behavior).toBe("allow")
    const removed = applyUpdate(added, { type: "removeDirectories", directories: ["/data"], ...session })
    expect(decide(read("/data/x"), removed).behavior).toBe("ask")
  })

  it("parses a list of rules once", () => {
    const options = { allowedTools: ["Bash(git:*)", "Edit(src/**)"] }
    expect(policyOf({ ...options }, []).rules.allow[0]).toBe(policyOf({ ...options }, []).rules.allow[0])
  })
})
