// Signals about changed files, as they are compared: by complete texts, and otherwise by digests.
import { expect, it } from "vitest"
import { firstSignalDifference } from "../../src/recording/compare-signals.ts"
import type { Signal } from "../../src/schemas/signal.ts"

/** A step that wrote one file. */
const snapshot = (path: string, text: string, shown: object = {}): Signal => ({
  id: "s1",
  name: "snapshot:taken",
  payload: {
    before: "0".repeat(64),
    snapshot: `digest of ${path} ${text}`,
    diffs: [{ file: path, before: "", after: text, additions: 1, deletions: 0, ...shown }],
    nodes: [{ path, node: { type: "file", mode: 420, hash: `digest of ${text}`, target: "" } }],
  },
  timestamp: "2026-11-25T23:00:00.000Z",
})

const patched = (hash: string): Signal => ({ ...snapshot("a", ""), name: "turn:patched", payload: { hash, files: [] } })

it("a file whose name and text contain the session's id and a time is equal in a replay", () => {
  const recorded = snapshot("/.perch/plans/0199a000-0000-7000-8000-000000000001.md", "At 2026-11-25 10:00:00")
  const played = snapshot("/.perch/plans/0199a000-0000-7000-8000-000000000002.md", "At 2026-11-26 11:30:10")
  expect(firstSignalDifference([recorded], [played])).toBeNull()
  expect(firstSignalDifference([patched("one tree")], [patched("another tree")])).toBeNull()
})

it("a different text is a difference, and a different digest is one if the text is not complete", () => {
  expect(firstSignalDifference([snapshot("/a", "one")], [snapshot("/a", "two")])?.text).toContain("payload.diffs[0]")
  for (const shown of [
    { binary: true, after: "" },
    { truncated: true, after: "" },
  ]) {
    const found = firstSignalDifference([snapshot("/a", "one", shown)], [snapshot("/a", "two", shown)])
    expect(found?.text).toContain("payload.nodes[0].node.hash")
  }
})
