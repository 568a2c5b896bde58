// Patterns over event names: what each matches, and that matching is fast.
import { Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EventPattern, matchesPattern } from "../../../src/schemas/log/event-pattern.ts"

const NAMES = [
  "sdk:result/success",
  "sdk:result/error_during_execution",
  "sdk:assistant",
  "ask:opened",
  "hook:fired/Stop",
]

it.each<[pattern: string, matched: ReadonlyArray<number>]>([
  ["sdk:result/success", [0]],
  ["sdk:result/*", [0, 1]],
  ["sdk:*", [2]],
  ["sdk:**", [0, 1, 2]],
  ["**", [0, 1, 2, 3, 4]],
  ["*", [2, 3]],
  ["*/*", [0, 1, 4]],
  ["**/Stop", [4]],
  ["***", [0, 1, 2, 3, 4]],
  ["*:opened", [3]],
  ["ask:opened*", [3]],
  ["ask:opened/*", []],
  ["sdk.result/*", []],
  ["s*/s**s", [0]],
])("%s", (pattern, matched) => {
  expect(NAMES.filter((name) => matchesPattern(pattern, name))).toEqual(matched.map((at) => NAMES[at]))
})

/** The same pattern as a regular expression. */
const asRegExp = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern.replace(/\*\*|\*|[^*]/g, (part) => (part === "**" ? ".*" : part === "*" ? "[^/]*" : `\\${part}`))}$`,
  )

describe("any pattern", () => {
  const text = (chars: string, maxLength: number) =>
    fc.array(fc.constantFrom(...chars), { minLength: 1, maxLength }).map((all) => all.join(""))

  it("matches like its regular expression", () => {
    fc.assert(
      fc.property(text(":/*-", 8), text(":/-", 8), (pattern, name) => {
        expect(matchesPattern(pattern, name)).toBe(asRegExp(pattern).test(name))
      }),
    )
  })

  it("of many stars takes steps in proportion to its length", () => {
    expect(matchesPattern("*a".repeat(100), "a".repeat(199) + "b")).toBe(false)
  })

  it("has a limited length and no other characters", () => {
    const decode = Schema.decodeUnknownExit(EventPattern)
    for (const bad of ["", "a".repeat(201), "a b", "a\n", "[a]", "a(b", "ä", 7]) {
      expect(decode(bad)._tag, String(bad)).toBe("Failure")
    }
  })
})
