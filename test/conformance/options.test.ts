// Each option of the SDK: its status, what a session accepts under its name, and what is said of what is refused.
import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { OPTION_STATUS, REFUSED_OPTIONS, refusalOf, SessionOptions } from "../../src/schemas/sdk/options.ts"
import { pathsOf } from "./recorded.ts"

const names = Object.keys(OPTION_STATUS)
const accepted = Object.keys(SessionOptions.fields)
const withStatus = (status: string): ReadonlyArray<string> =>
  Object.entries(OPTION_STATUS).flatMap(([name, one]) => (one.status === status ? [name] : []))

const decode = Schema.decodeUnknownResult(SessionOptions, { onExcessProperty: "error" })

/** What a session accepts under each name. */
const GOOD: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  model: ["model-a"],
  systemPrompt: ["Be brief.", { type: "preset", preset: "claude_code", append: "Be brief." }],
  permissionMode: ["default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"],
  allowDangerouslySkipPermissions: [true],
  permission_prompts: ["ask", "deny"],
  allowedTools: [[], ["Read", "Bash(ls *)"]],
  disallowedTools: [["Bash"]],
  tools: [[], ["Read"], { type: "preset", preset: "claude_code" }],
  maxTurns: [1, 10_000],
  includePartialMessages: [false],
  thinking: [{ type: "adaptive" }, { type: "enabled", budgetTokens: 1024 }, { type: "enabled" }, { type: "disabled" }],
  maxThinkingTokens: [0],
  effort: ["low", "medium", "high", "xhigh", "max"],
}

/** What is refused under each name, beside values of another type. */
const BAD: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  model: ["", "m".repeat(201)],
  systemPrompt: [{ type: "preset", preset: "another" }],
  permissionMode: ["yolo"],
  permission_prompts: ["never"],
  allowedTools: ["Read", [1]],
  tools: [{ type: "preset" }],
  maxTurns: [0, 1.5, 10_001],
  thinking: [{ type: "enabled", budgetTokens: 10 }, { type: "sometimes" }],
  maxThinkingTokens: [-1],
  effort: ["least"],
}

describe("the status of options", () => {
  it("is given for all 70, with a sentence's end for each", () => {
    expect(names).toHaveLength(70)
    for (const { note } of Object.values(OPTION_STATUS)) expect(note).toMatch(/^(is|are|belongs|needs|means) /)
  })

  it("is one of three, and no option is in two", () => {
    const counts = ["supported", "differently", "refused"].map((status) => withStatus(status).length)
    expect(counts).toEqual([8, 12, 50])
  })

  it("is never refused for what a session accepts", () => {
    for (const name of accepted) {
      expect(refusalOf(name)).toBeUndefined()
      expect(withStatus("refused")).not.toContain(name)
    }
    expect(accepted.filter((name) => !names.includes(name))).toEqual(["permission_prompts"])
    for (const name of withStatus("supported")) expect(accepted).toContain(name)
  })

  it("refuses every other option with its own sentence", () => {
    expect(Object.keys(REFUSED_OPTIONS).sort()).toEqual(names.filter((name) => !accepted.includes(name)).sort())
    for (const [name, note] of Object.entries(REFUSED_OPTIONS)) expect(refusalOf(name)).toBe(`options.${name} ${note}`)
    expect(refusalOf("cwd")).toBe("options.cwd is set with `cwd` beside `options` when the session is created")
    expect(refusalOf("hooks")).toBe("options.hooks is not supported by this version of Perch")
    expect(refusalOf("debugFile")).toBe("options.debugFile needs a local process, and Perch starts none")
  })

  it("says of any other name that it is no option", () => {
    for (const name of ["moon", "constructor", "__proto__", "toString", ""]) {
      expect(refusalOf(name)).toBe(`options.${name} is not an option of the Claude Agent SDK`)
    }
  })
})

describe("what a session accepts", () => {
  it.each(accepted)("%s", (name) => {
    for (const value of GOOD[name] ?? []) {
      const options = { [name]: value }
      const decoded = Result.getOrThrow(decode(options))
      expect(decoded).toStrictEqual(options)
      expect(Schema.encodeUnknownSync(SessionOptions)(decoded)).toStrictEqual(options)
    }
    expect(GOOD[name]).not.toEqual([])
    for (const value of [...(BAD[name] ?? []), null, { wrong: true }, [[]]]) {
      const failure = Result.getOrThrow(Result.flip(decode({ [name]: value })))
      expect(pathsOf(failure).map(([first]) => first)).toContain(name)
    }
  })

  it("is refused under any other name", () => {
    expect(pathsOf(Result.getOrThrow(Result.flip(decode({ hooks: {} }))))).toEqual([["hooks"]])
  })
})
