import { describe, expect, it } from "vitest"
import { testError } from "../../../src/shell/compat/test-words.ts"

describe("the words of a test", () => {
  it.each([
    ["=", "y"],
    ["a", "="],
    ["a", "b"],
    ["a", "b", "c"],
    ["a", "b", "=", "c"],
  ])("that are no expression are an error: %s %s %s", (...words) => {
    expect(testError("[", [...words, "]"])).toMatch(/^bash: \[: .*(?:expected|too many arguments)\n$/)
  })

  it.each([
    [""],
    ["a"],
    ["!", "a"],
    ["-n", "a"],
    ["-z", ""],
    ["a", "=", "b"],
    ["!", "-e", "f"],
    ["(", "a", ")"],
    ["a", "-nt", "b"],
    ["!", "a", "=", "b"],
    ["a", "=", "b", "-a", "c", "=", "d"],
    ["-n", "a", "-o", "b"],
  ])("that may be one are not: %s %s %s", (...words) => {
    expect(testError("test", words)).toBeNull()
  })
})
