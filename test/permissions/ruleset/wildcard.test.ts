// The wildcards of opencode's permission rules.
import fc from "fast-check"
import { expect, it } from "vitest"
import { wildcard } from "../../../src/permissions/ruleset/wildcard.ts"

it.each([
  ["*", "", true],
  ["**", "a\nb", true],
  ["a*", "a\nb", true],
  ["ls *", "ls", true],
  ["ls *", "ls -la", true],
  ["ls *", "lsof", false],
  ["ls*", "lsof", true],
  ["ls *", "ls ", true],
  ["*.env", ".env", true],
  ["*.env", "/workspace/.env", true],
  ["*.env", "/workspace/.env.local", false],
  ["*.env.*", "/workspace/.env.local", true],
  ["src/**/*.ts", "src/a/b.ts", true],
  ["src/**/*.ts", "src/b.ts", false],
  ["src/*.ts", "src/a/b.ts", true],
  ["?", "a", true],
  ["?", "", false],
  ["?", "ab", false],
  ["?", "\n", true],
  ["?", "😀", true],
  ["??", "😀", false],
  ["a?c*e?", "abcdddef", true],
  ["a?c*e?", "abcddde", false],
  ["*a?*b", "xxaab", true],
  ["*a?*b", "xxab", false],
  ["a.c", "abc", false],
  ["(a|b)", "a", false],
  ["[ab]", "a", false],
  ["a+", "aa", false],
  ["a\\*", "a\\b", true],
  ["A", "a", false],
  ["\u00e9", "e\u0301", false],
  ["* *", "a", true],
  ["ls * *", "ls", false],
  ["ls * *", "ls a", true],
])("%s on %j is %s", (pattern, text, expected) => {
  expect(wildcard(pattern)(text)).toBe(expected)
})

/** The definition of the rule: a regular expression that may take any time. */
const spelled = (pattern: string): RegExp => {
  const body = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", "[^]*")
    .replaceAll("?", "[^]")
  return new RegExp(`^${body.endsWith(" [^]*") ? `${body.slice(0, -5)}(?: [^]*)?` : body}$`, "u")
}

it("matches according to the definition", () => {
  const pattern = fc.array(fc.constantFrom("a", "b", "*", "?", " ", "😀"), { maxLength: 12 }).map((all) => all.join(""))
  const text = fc.array(fc.constantFrom("a", "b", " ", "\n", "😀"), { maxLength: 16 }).map((all) => all.join(""))
  fc.assert(
    fc.property(pattern, text, (one, other) => {
      expect(wildcard(one)(other)).toBe(spelled(one).test(other))
    }),
    { numRuns: 2000 },
  )
})

it("long patterns and long texts are matched in one pass", () => {
  const text = "a".repeat(100_000)
  expect(wildcard(`${"a*".repeat(5000)}b`)(text)).toBe(false)
  expect(wildcard(`*${"a?".repeat(5000)}b*`)(text)).toBe(false)
  expect(wildcard(`*${"a?".repeat(5000)}*`)(text)).toBe(true)
  expect(wildcard(`*${"a".repeat(10_000)}b*`)(text)).toBe(false)
})
