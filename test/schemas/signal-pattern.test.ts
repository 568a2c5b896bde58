// Patterns over the names of signals: segments and any number of them, within limits.
import { describe, expect, it } from "vitest"
import { compilePattern } from "../../src/schemas/signal-pattern.ts"

const matches = (pattern: string, name: string) => compilePattern(pattern)?.matches(name)

describe("a pattern of signals", () => {
  it.each([
    ["task:completed", "task:completed", true],
    ["task:completed", "task:completed:x", false],
    ["task:*", "task:completed", true],
    ["task:*", "task:completed:x", false],
    ["task:*", "task", false],
    ["*", "task", true],
    ["*", "task:completed", false],
    ["task:**", "task:a:b", true],
    ["**", "task:a:b", true],
    ["**:done", "a:b:done", true],
    ["*:b:*", "a:b:c", true],
    ["tool:re*", "tool:result", true],
    ["a.b", "aXb", false],
  ])("%s and the name %s: %s", (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected)
  })

  it("is invalid if it is empty, too long, or has other characters or more than eight stars", () => {
    for (const text of ["", "a".repeat(257), "a b", "a/b", "é", "*:".repeat(9)]) expect(compilePattern(text)).toBeNull()
    expect(compilePattern("*:".repeat(8))).not.toBeNull()
  })

  it("with many stars is matched quickly against a name that almost matches", () => {
    const pattern = compilePattern(`${"**a".repeat(4)}b`)
    expect(pattern?.matches("a".repeat(256))).toBe(false)
  })
})
