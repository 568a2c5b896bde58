// The router: which agent executes a subtask, and why.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { estimateComplexity } from "../../src/interop/complexity.ts"
import { decideRoute, type RouteReason, shouldUseClaudeCode } from "../../src/interop/router.ts"
import type { ClaudeCodeConfig } from "../../src/schemas/interop/claude-code-config.ts"

const FULL = "claude-code"
const LABELS: ClaudeCodeConfig = {
  forceMinimalLabels: ["simple", "quick", "docs"],
  forceClaudeCodeLabels: ["complex", "refactor"],
}
const LONG = "Change the text of the start page so that it names the new product and its price. ".repeat(4)

type Row = readonly [
  description: string,
  labels: ReadonlyArray<string>,
  config: ClaudeCodeConfig,
  mode: "claude-code" | "minimal",
  reason: RouteReason,
  label?: string,
]

const TASKS: ReadonlyArray<Row> = [
  ["Fix the typo in README.md", [], {}, "minimal", "simple"],
  ["Rename the variable `x` to `count`", [], {}, "minimal", "simple"],
  ["Add a line to src/a.ts", [], {}, "minimal", "simple"],
  ["Remove the unused import", [], {}, "minimal", "simple"],
  ["Bump the version to 1.2.3", [], {}, "minimal", "simple"],
  ["Write a test for add()", [], {}, "minimal", "simple"],
  ["Format the file", [], {}, "minimal", "simple"],
  ["Debug the build", [], {}, "minimal", "simple"],
  ["Migrate the table", [], {}, "minimal", "simple"],
  ["Integrate the linter", [], {}, "minimal", "simple"],
  ["Change a.ts and b.ts", [], {}, "minimal", "simple"],
  ["x", [], {}, "minimal", "simple"],
  ["Update the date in the footer of the page, and of the mail", [], {}, "minimal", "simple"],
  ["x".repeat(300), [], {}, "minimal", "simple"],
  ["x".repeat(301), [], {}, FULL, "complex"],
  [LONG, [], {}, FULL, "complex"],
  ["Refactor the parser", [], {}, FULL, "complex"],
  ["Refactoring: split the module in two", [], {}, FULL, "complex"],
  ["REFACTOR THE PARSER", [], {}, FULL, "complex"],
  ["A multi-file change", [], {}, FULL, "complex"],
  ["A multi file change", [], {}, FULL, "complex"],
  ["Search for uses of foo", [], {}, FULL, "complex"],
  ["Fetch the page and summarise it", [], {}, FULL, "complex"],
  ["Investigate why the test fails", [], {}, FULL, "complex"],
  ["Migrate all callers to the new API, and debug what breaks", [], {}, FULL, "complex"],
  ["Redesign the architecture across the packages", [], {}, FULL, "complex"],
  ["Update a.ts, b.ts, c.ts, d.ts and e.ts", [], {}, FULL, "complex"],
  ["Change src/a/one.ts, src/a/two.ts, src/b/three.ts and docs/four.md alike", [], {}, FULL, "complex"],
  ["Refactor the parser", ["simple"], LABELS, "minimal", "minimal_label", "simple"],
  ["Refactor the parser", ["quick", "complex"], LABELS, "minimal", "minimal_label", "quick"],
  [LONG, ["docs"], LABELS, "minimal", "minimal_label", "docs"],
  ["Fix the typo", ["complex"], LABELS, FULL, "claude_code_label", "complex"],
  ["Fix the typo", ["other", "refactor"], LABELS, FULL, "claude_code_label", "refactor"],
  ["Fix the typo", ["other"], LABELS, "minimal", "simple"],
  ["Refactor the parser", ["other"], LABELS, FULL, "complex"],
  ["Fix the typo", [], { preferForComplexTasks: false }, FULL, "always_full"],
  ["Fix the typo", ["simple"], { ...LABELS, preferForComplexTasks: false }, "minimal", "minimal_label", "simple"],
  ["Refactor the parser", [], { enabled: false }, "minimal", "disabled"],
  ["Fix the typo", ["complex"], { ...LABELS, enabled: false }, "minimal", "disabled"],
  ["Fix the typo", [], { enabled: false, preferForComplexTasks: false }, "minimal", "disabled"],
  ["Fix the typo", [], { complexityThreshold: 0 }, FULL, "complex"],
  ["Refactor the parser", [], { complexityThreshold: 1 }, "minimal", "simple"],
  ["Refactor the parser", [], { complexityThreshold: 0.7 }, "minimal", "simple"],
  ["Debug the build", [], { complexityThreshold: 0.25 }, FULL, "complex"],
]

describe("a subtask is routed", () => {
  for (const [description, labels, config, mode, reason, label] of TASKS) {
    it(`${JSON.stringify(config)} ${labels.join()} ${description.slice(0, 60)}: ${mode}, ${reason}`, () => {
      const decision = shouldUseClaudeCode({ id: "t", description, labels }, config)
      expect(decision).toEqual({
        mode,
        reason,
        score: estimateComplexity(description),
        threshold: config.complexityThreshold ?? 0.6,
        ...(label === undefined ? {} : { label }),
      })
    })
  }

  it("to the minimal agent if the full one is unavailable, whatever its labels", () => {
    const none = { available: false, reason: "No model is configured." }
    const task = { id: "t", description: "Refactor the parser", labels: ["complex"] }
    expect(shouldUseClaudeCode(task, LABELS, none)).toMatchObject({ mode: "minimal", reason: "unavailable" })
    expect(shouldUseClaudeCode(task, { enabled: false }, none)).toMatchObject({ reason: "disabled" })
    expect(decideRoute("claude-code", task, {}, none)).toMatchObject({ mode: "minimal", reason: "unavailable" })
  })

  it("to the agent that a request names", () => {
    const task = { id: "t", description: "Fix the typo" }
    expect(decideRoute("claude-code", task)).toMatchObject({ mode: FULL, reason: "asked" })
    expect(decideRoute("minimal", { ...task, description: "Refactor" })).toMatchObject({
      mode: "minimal",
      reason: "asked",
    })
    expect(decideRoute("auto", task)).toMatchObject({ mode: "minimal", reason: "simple" })
    expect(decideRoute("claude-code", task, { enabled: false })).toMatchObject({ mode: "minimal", reason: "disabled" })
  })
})

describe("the score of a description", () => {
  it("is between 0 and 1, and never decreases when the description grows", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 700 }), fc.string({ maxLength: 100 }), (text, more) => {
        const score = estimateComplexity(text)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(estimateComplexity(`${text.trim()} ${more}`)).toBeGreaterThanOrEqual(score)
      }),
    )
  })

  it("is computed in linear time", () => {
    expect(estimateComplexity("a/".repeat(50_000))).toBeGreaterThan(0.6)
    expect(estimateComplexity("-".repeat(100_000))).toBeGreaterThan(0.6)
  })
})

it("a field that is undefined has its default", () => {
  const undefinedFields = {
    enabled: undefined,
    complexityThreshold: undefined,
    preferForComplexTasks: undefined,
  } as unknown as ClaudeCodeConfig // as apps without exactOptionalPropertyTypes may write it
  const subtask = { id: "1", description: "Refactor the parser" }
  expect(shouldUseClaudeCode(subtask, undefinedFields)).toEqual(shouldUseClaudeCode(subtask))
})
