// The visible state of a workspace, and the result of applying a unified diff to it.
import { applyPatch, parsePatch } from "diff"
import { expect } from "vitest"
import type { Workspace } from "../../src/workspace/workspace.ts"

/** The visible state of files: text and mode of each, or a symlink's target. */
export type Shown = ReadonlyMap<string, Look>
export interface Look {
  readonly mode: string
  readonly text: string
}

export const shown = (workspace: Workspace): Shown =>
  new Map(
    workspace.nodes.below("/").flatMap(([path, node]): Array<readonly [string, Look]> => {
      if (node.type === "directory") return []
      if (node.type === "symlink") return [[path, { mode: "120000", text: node.target }]]
      const text = Buffer.from(workspace.nodes.read(node)).toString()
      return [[path, { mode: `100${node.mode.toString(8)}`, text }]]
    }),
  )

/** Applies the unified diff as git would. */
export const applied = (before: Shown, unified: string): Shown => {
  const files = new Map(before)
  for (const patch of unified === "" ? [] : parsePatch(unified)) {
    const from = patch.oldFileName === "/dev/null" ? undefined : patch.oldFileName?.slice(1)
    const to = patch.newFileName === "/dev/null" ? undefined : patch.newFileName?.slice(1)
    const old = from === undefined ? undefined : files.get(from)
    expect(old === undefined).toBe(patch.isCreate === true)
    const text = applyPatch(old?.text ?? "", patch, { autoConvertLineEndings: false })
    if (text === false) throw new Error("the patch does not apply")
    if (from !== undefined) files.delete(from)
    if (to === undefined || patch.isDelete === true) expect(text).toBe("")
    else files.set(to, { text, mode: patch.newMode ?? old?.mode ?? "" })
  }
  return files
}

export const sorted = (tree: Shown) => Array.from(tree).toSorted(([a], [b]) => (a < b ? -1 : 1))
