// What a push or a pull does with each path: every combination of the two sides and the last known state.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { planSync } from "../../../src/client/files/sync-plan.ts"
import {
  linkPlace,
  nameProblem,
  isReserved,
  sameEntry,
  type Tree,
  type TreeEntry,
} from "../../../src/client/files/tree-entry.ts"

const file = (content: string, mode = 0o644): TreeEntry => ({
  type: "file",
  sha256: content,
  size: content.length,
  mode,
})
const one = (entry: TreeEntry | undefined): Tree => new Map(entry === undefined ? [] : [["x", entry]])
const [A, B, C] = [file("a"), file("b"), file("c")]

const did = (source: Tree, target: Tree, base: Tree | null, more = {}) => {
  const plan = planSync({ source, target, base, replaceUnknown: false, ...more })
  return plan.write.length > 0
    ? "write"
    : plan.remove.length > 0
      ? "remove"
      : plan.conflicts.length > 0
        ? "conflict"
        : "nothing"
}

describe("a path", () => {
  it.each([
    [A, A, A, "nothing"],
    [B, A, A, "write"],
    [A, B, A, "nothing"],
    [B, C, A, "conflict"],
    [B, B, A, "nothing"],
    [A, undefined, undefined, "write"],
    [A, undefined, A, "nothing"],
    [B, undefined, A, "conflict"],
    [undefined, A, A, "remove"],
    [undefined, B, A, "conflict"],
    [undefined, A, undefined, "nothing"],
    [undefined, undefined, A, "nothing"],
    [A, B, undefined, "conflict"],
    [file("a", 0o755), A, A, "write"],
    [{ type: "symlink", target: "y" }, A, A, "write"],
    [{ type: "directory" }, A, A, "write"],
  ] as const)("that is %j here and %j there, and was %j: %s", (source, target, base, expected) => {
    expect(did(one(source), one(target), one(base))).toBe(expected)
  })

  it("that differs from an unknown state is replaced by a push and is a conflict of a pull", () => {
    expect(did(one(A), one(B), null)).toBe("conflict")
    expect(did(one(A), one(B), null, { replaceUnknown: true })).toBe("write")
    expect(did(one(undefined), one(B), null, { replaceUnknown: true })).toBe("nothing")
  })

  it("in conflict follows the source with force", () => {
    expect(did(one(B), one(C), one(A), { force: true })).toBe("write")
    expect(did(one(undefined), one(C), one(A), { force: true })).toBe("remove")
  })

  it("keeps its folder while something in it stays, and is not written below a file that stays", () => {
    const folder = { type: "directory" } as const
    const target = new Map<string, TreeEntry>([
      ["d", folder],
      ["d/x", A],
      ["d/y", B],
    ])
    const base = new Map<string, TreeEntry>([
      ["d", folder],
      ["d/x", A],
      ["d/y", A],
    ])
    const plan = planSync({ source: new Map(), target, base, replaceUnknown: false })
    expect(plan).toMatchObject({ remove: ["d/x"], conflicts: ["d/y"] })
    const stuck = planSync({
      source: new Map<string, TreeEntry>([
        ["p", folder],
        ["p/q", A],
      ]),
      target: new Map([["p", B]]),
      base: new Map([["p", A]]),
      replaceUnknown: false,
    })
    expect(stuck).toMatchObject({ write: [], conflicts: ["p"] })
  })

  it("never changes at a target that differs from the last known state, for any trees", () => {
    const tree = fc
      .dictionary(fc.constantFrom("a", "b", "c/d", "c/e"), fc.constantFrom("1", "2", "3"))
      .map((entries): Tree => new Map(Object.entries(entries).map(([path, content]) => [path, file(content)])))
    fc.assert(
      fc.property(tree, tree, tree, (source, target, base) => {
        const plan = planSync({ source, target, base, replaceUnknown: false })
        for (const path of [...plan.write, ...plan.remove])
          expect(sameEntry(target.get(path), base.get(path))).toBe(true)
        // After that, the source has nothing left to send.
        const after = new Map(target)
        for (const path of plan.remove) after.delete(path)
        for (const path of plan.write) after.set(path, source.get(path)!)
        const known = new Map(base)
        for (const path of [...plan.same, ...plan.write]) known.set(path, after.get(path)!)
        for (const path of plan.remove) known.delete(path)
        const next = planSync({ source, target: after, base: known, replaceUnknown: false })
        expect([next.write, next.remove]).toEqual([[], []])
      }),
    )
  })
})

it.each([
  ["a", "b", "b"],
  ["d/a", "../b", "b"],
  ["d/a", "e/../../b", "b"],
  ["a", "../b", null],
  ["d/a", "../../b", null],
  ["a", "/b", null],
  ["a", "", null],
  ["d/a", ".", "d"],
])("a link %s to %s leads to %s", (path, target, place) => {
  expect(linkPlace(path, target)).toBe(place)
})

it("names and places that are never synchronized", () => {
  for (const path of [".git", ".git/config", "a/.git/hooks/x", ".GIT/x", "a/.Git", "git~1/x", ".git./x", ".perch/plan"])
    expect(isReserved(path), path).toBe(true)
  for (const path of [".gitignore", ".github/x", "git", "a/.perch/x", "my.git/x"])
    expect(isReserved(path), path).toBe(false)
  for (const name of ["\ud800", "x".repeat(256), "é".repeat(128)])
    expect(nameProblem(name), JSON.stringify(name)).not.toBeNull()
  for (const name of ["a b", "ünï/日本", "😀", "x".repeat(255), "-rf", "%2F", "a\nb", "\u0085", "\u2028", "\ufffd"])
    expect(nameProblem(name), name).toBeNull()
})
