// Invariants for any rules, any mode, any hook and any call.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decide, type HookVerdict, type JudgedCall } from "../../../src/permissions/decide.ts"
import type { PermissionMode } from "../../../src/schemas/sdk/options/permissions.ts"
import { bash, call, edit, read, ruled, write } from "../../permissions/calls.ts"

const MODES: ReadonlyArray<PermissionMode> = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", "auto"]
const mode = fc.constantFrom(...MODES)
const hook = fc.constantFrom<HookVerdict | undefined>(undefined, { behavior: "allow" }, { behavior: "ask" })

const word = fc.constantFrom("a", "b.txt", "src/a.ts", "/etc/x", "../y", "$X", "'q r'", '"$(ls)"', "-n", "*.ts", "2>&1")
const command = fc
  .tuple(
    fc.constantFrom(
      "ls",
      "cat",
      "rm",
      "touch",
      "git push",
      "git status",
      "npm test",
      "echo",
      "python3",
      "sed -i s/a/b/",
    ),
    fc.array(word, { maxLength: 3 }),
    fc.constantFrom("", "", "", " > out", " >> /etc/out", " < in"),
  )
  .map(([name, words, redirection]) => [name, ...words].join(" ") + redirection)
const joint = fc.constantFrom("; ", " && ", " || ", " | ", "\n", " & ")
const script = fc
  .array(fc.tuple(command, joint), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.map(([one, by], index) => (index === 0 ? one : by + one)).join(""))

const path = fc.constantFrom("/workspace/a", "/workspace/src/a.ts", "/workspace/.git/x", "/etc/x", "/", "/workspace")
const anyCall: fc.Arbitrary<JudgedCall> = fc.oneof(
  script.map(bash),
  path.map(write),
  path.map(edit),
  path.map(read),
  fc.constantFrom(
    call("mcp__calc__add", { mcpServer: "calc" }),
    call("TodoWrite", { internal: true }),
    call("AskUserQuestion", { asksAlways: true }),
    call("WebFetch", { readOnly: true, subject: "https://example.com" }),
  ),
)

const RULES =
  "Bash|Bash(rm:*)|Bash(git *)|Bash(ls)|Bash(* a)|Bash(echo:*)|Bash(npm test)|Bash(cat:*)|Edit|Edit(./src/**)|" +
  "Edit(//etc/**)|Edit(*)|Edit(a)|Write|Write(a)|Read|Read(//etc/**)|Read(src)|mcp__calc|mcp__calc__*|" +
  "WebFetch(domain:example.com)|WebFetch|TodoWrite|AskUserQuestion"
const ruleText = fc.constantFrom(...RULES.split("|"))
const ruleTexts = fc.array(ruleText, { maxLength: 4 })

describe("permission decisions", () => {
  it("a deny rule that applies to a call denies it, whatever else is allowed", () => {
    fc.assert(
      fc.property(anyCall, ruleText, ruleTexts, ruleTexts, mode, hook, (one, deny, allow, ask, inMode, verdict) => {
        const alone = decide(one, ruled({ deny: [deny] }, "bypassPermissions"))
        const together = decide(one, ruled({ deny: [deny], allow, ask }, inMode), verdict)
        if (alone.behavior === "deny") expect(together.behavior).toBe("deny")
      }),
      { numRuns: 500 },
    )
  })

  it("an ask rule that applies to a call is never overruled by an allow", () => {
    fc.assert(
      fc.property(anyCall, ruleText, ruleTexts, mode, hook, (one, ask, allow, inMode, verdict) => {
        const alone = decide(one, ruled({ ask: [ask] }, "bypassPermissions"))
        const together = decide(one, ruled({ ask: [ask], allow }, inMode), verdict)
        if (alone.behavior === "ask") expect(together.behavior).not.toBe("allow")
      }),
      { numRuns: 500 },
    )
  })

  it("joining a denied script with others never lifts the denial", () => {
    fc.assert(
      fc.property(script, script, joint, ruleText, ruleTexts, mode, (first, second, by, deny, allow, inMode) => {
        const rules = ruled({ deny: [deny], allow }, inMode)
        const parts = [first, second].map((one) => decide(bash(one), rules).behavior)
        const whole = decide(bash(first + by + second), rules).behavior
        if (parts.includes("deny") && inMode !== "dontAsk") expect(whole).toBe("deny")
      }),
      { numRuns: 500 },
    )
  })

  it("a script is allowed only if each of its parts would be allowed", () => {
    fc.assert(
      fc.property(
        script,
        script,
        joint,
        ruleTexts,
        fc.constantFrom("default", "acceptEdits", "plan"),
        (a, b, by, allow, inMode) => {
          const rules = ruled({ allow }, inMode)
          if (decide(bash(a + by + b), rules).behavior !== "allow") return
          for (const part of [a, b]) expect(decide(bash(part), rules).behavior).toBe("allow")
        },
      ),
      { numRuns: 500 },
    )
  })

  it("one more allow rule never turns an allow into an ask or a denial", () => {
    fc.assert(
      fc.property(anyCall, ruleText, ruleTexts, ruleTexts, mode, hook, (one, more, allow, ask, inMode, verdict) => {
        if (decide(one, ruled({ allow, ask }, inMode), verdict).behavior !== "allow") return
        expect(decide(one, ruled({ allow: [...allow, more], ask }, inMode), verdict).behavior).toBe("allow")
      }),
      { numRuns: 500 },
    )
  })

  it("dontAsk asks only questions, and bypassPermissions asks only for rules, hooks and unknown scripts", () => {
    fc.assert(
      fc.property(anyCall, ruleTexts, ruleTexts, (one, allow, deny) => {
        if (one.asksAlways === true) return
        expect(decide(one, ruled({ allow, deny }, "dontAsk")).behavior).not.toBe("ask")
        const known = one.shell === undefined || one.shell.plain || !deny.some((rule) => rule.startsWith("Bash("))
        if (known) expect(decide(one, ruled({ allow, deny }, "bypassPermissions")).behavior).not.toBe("ask")
      }),
      { numRuns: 300 },
    )
  })

  it("any text can be analyzed as a script", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), ruleTexts, (text, allow) => {
        expect(["allow", "ask", "deny"]).toContain(decide(bash(text), ruled({ allow, deny: ["Bash(rm:*)"] })).behavior)
      }),
      { numRuns: 300 },
    )
  })
})
