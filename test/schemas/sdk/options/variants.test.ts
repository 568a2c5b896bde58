// The option `variant`: which options it may be combined with, and which of several levels of options applies.
import { describe, expect, it } from "vitest"
import { optionIssues } from "../../../../src/schemas/sdk/options/option-issues.ts"
import type { SessionOptions } from "../../../../src/schemas/sdk/options/options.ts"
import { overlaid } from "../../../../src/schemas/sdk/options/variants.ts"

describe("a variant", () => {
  it.each<readonly [string, SessionOptions]>([
    ["thinking", { thinking: { type: "adaptive" } }],
    ["maxThinkingTokens", { maxThinkingTokens: 2000 }],
    ["effort", { effort: "low" }],
  ])("next to %s, it is refused by name", (name, other) => {
    const message = `options.variant can't be combined with options.${name}. Send one of the two.`
    expect(optionIssues({ variant: "high", ...other })).toEqual([{ field: "options.variant", message }])
    expect(optionIssues({ variant: "high" })).toEqual([])
    expect(optionIssues(other)).toEqual([])
  })

  it.each<readonly [string, SessionOptions, SessionOptions, SessionOptions]>([
    [
      "over a budget and an effort",
      { maxThinkingTokens: 1, effort: "low", model: "m" },
      { variant: "high" },
      { model: "m", variant: "high" },
    ],
    [
      "over thinking that is off",
      { thinking: { type: "disabled" } },
      { variant: "low", model: "n" },
      { variant: "low", model: "n" },
    ],
    ["over another one", { variant: "low" }, { variant: "high" }, { variant: "high" }],
    ["under a budget", { variant: "low", model: "m" }, { maxThinkingTokens: 9 }, { model: "m", maxThinkingTokens: 9 }],
    ["under an effort", { variant: "low" }, { effort: "max" }, { effort: "max" }],
    ["under neither", { variant: "low" }, { model: "m" }, { variant: "low", model: "m" }],
  ])("%s: the nearest level holds", (_title, under, over, result) => {
    expect(overlaid(under, over)).toEqual(result)
  })
})
