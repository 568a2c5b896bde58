import { RE2JS } from "re2js"
import { describe, expect, it } from "vitest"
import { searchOf } from "../../../src/shell/syntax/search.ts"

const searched = (pattern: string, text: string) => {
  let [spent, found] = [0, 0]
  const matcher = searchOf(RE2JS.compile(pattern), text, (characters) => (spent += characters))
  while (matcher.find()) found += 1
  return { spent, found }
}

describe("the text that a search reads repeatedly", () => {
  it.each(["a", "[a-c]", "a+?", "a|b", "(a)(x?)"])("is empty for %s", (pattern) => {
    expect(searched(pattern, "a".repeat(3000))).toEqual({ spent: 0, found: 3000 })
  })

  it("is counted for a pattern that reads to the end for each of its matches", () => {
    const { spent, found } = searched("a.*b|a", "a".repeat(1000))
    expect(found).toBe(1000)
    expect(spent).toBeGreaterThan(400_000)
  })

  it("is empty for few matches", () => {
    expect(searched("a.*b|a", `${"a".repeat(5)}${" ".repeat(100_000)}`)).toEqual({ spent: 0, found: 5 })
  })

  it("finds the same as a search without the count, including groups", () => {
    const text = "k=é1;".repeat(50)
    const matcher = searchOf(RE2JS.compile("(\\w)=(.)(\\d)"), text, () => {})
    const found: Array<string> = []
    while (matcher.find()) found.push([matcher.start(), matcher.group(1), matcher.group(2), matcher.group(3)].join(" "))
    expect(found).toEqual(Array.from({ length: 50 }, (_, at) => `${at * 5} k é 1`))
  })
})
