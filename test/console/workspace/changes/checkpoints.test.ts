import { describe, expect, test } from "vitest"
import {
  changesText,
  comparisonOf,
  labelled,
  rewindText,
} from "../../../../src/console/workspace/changes/checkpoints.ts"
import { contextParts, share } from "../../../../src/console/workspace/panels/context-use.ts"

const CHECKPOINTS = labelled(
  ["aaaaaaaa-1", "bbbbbbbb-2", "cccccccc-3"],
  new Map([
    ["aaaaaaaa-1", "Write\n  the notes"],
    ["bbbbbbbb-2", "x".repeat(200)],
  ]),
)

describe("checkpoints", () => {
  test("are named by their prompts, truncated, or by their uuids", () => {
    expect(CHECKPOINTS.map(({ label }) => label)).toEqual([
      "1. Write the notes",
      `2. ${"x".repeat(69)}…`,
      "3. cccccccc",
    ])
  })

  test("show characters that reverse the direction of a prompt by their code points", () => {
    expect(labelled(["a"], new Map([["a", "keep \u202Etxt"]]))[0]?.label).toBe("1. keep ⟨U+202E⟩txt")
  })

  test("are compared in chronological order, by default from the first one to now", () => {
    expect(comparisonOf(CHECKPOINTS, null, null)).toEqual({ from: "aaaaaaaa-1", to: null })
    expect(comparisonOf(CHECKPOINTS, "cccccccc-3", "aaaaaaaa-1")).toEqual({ from: "aaaaaaaa-1", to: "cccccccc-3" })
    expect(comparisonOf(CHECKPOINTS, "bbbbbbbb-2", null)).toEqual({ from: "bbbbbbbb-2", to: null })
    expect(comparisonOf([], null, null)).toBeNull()
  })

  test("their changes and what a rewind would change are sentences", () => {
    const diff = { file: "/a", status: "added", before: "", after: "a", additions: 1, deletions: 0 } as const
    expect(changesText({ files: [diff], additions: 1, deletions: 0, truncated: true })).toBe(
      "1 file, +1 −0; some are cut",
    )
    expect(rewindText({ canRewind: true, filesChanged: ["/a", "/b"], insertions: 3, deletions: 1 })).toBe(
      "2 files would change: +3 −1 lines.",
    )
    expect(rewindText({ canRewind: true, filesChanged: [] })).toMatch(/nothing would change/)
    expect(rewindText({ canRewind: false, error: "There is no such checkpoint." })).toBe("There is no such checkpoint.")
  })
})

describe("the context", () => {
  test("is listed by what uses it, the largest first, without empty lists", () => {
    const use = {
      model: "claude",
      totalTokens: 10,
      rawMaxTokens: 100,
      percentage: 10,
      categories: [],
      mcpTools: [
        { name: "small", serverName: "docs", tokens: 1 },
        { name: "large", serverName: "docs", tokens: 5 },
      ],
      agents: [],
    }
    expect(contextParts(use)).toEqual([
      {
        title: "Tools of MCP servers",
        tokens: 6,
        items: [
          { name: "docs: large", tokens: 5 },
          { name: "docs: small", tokens: 1 },
        ],
      },
    ])
  })

  test("shares are percentages", () => {
    expect([share(1, 3), share(1, 1000), share(0, 10), share(1, 0)]).toEqual(["33%", "0.1%", "0%", "0%"])
  })
})
