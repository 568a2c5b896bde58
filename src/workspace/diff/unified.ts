// Receives two states of a file and the hunks between them; returns its part of a unified diff, as git writes it.
// Invariant: paths are absolute below `a` and `b`; a node whose kind changes is shown as deleted and created.
import { formatPatch } from "diff"
import type { Pair } from "../checkpoints/tree-digest.ts"
import { type Hunks, linesIn, replacement } from "./hunks.ts"
import type { TreeNode } from "../tree/node-store.ts"

const modeOf = (node: TreeNode | null): string | undefined => {
  if (node === null || node.type === "directory") return undefined
  return node.type === "symlink" ? "120000" : `100${node.mode.toString(8).padStart(3, "0")}`
}

const kindOf = (mode: string | undefined): string | undefined => mode?.slice(0, 3)

export const patchText = (pair: Pair, [old, young]: readonly [string, string], hunks: Hunks): string => {
  const [path, before, after] = pair
  const [oldMode, newMode] = [modeOf(before), modeOf(after)]
  const names = { oldFileName: `a${path}`, newFileName: `b${path}`, oldHeader: undefined, newHeader: undefined }
  const patch = { ...names, hunks: [...hunks], isGit: true }
  if (oldMode === undefined) {
    return formatPatch({
      ...patch,
      oldFileName: "/dev/null",
      isCreate: true,
      ...(newMode === undefined ? {} : { newMode }),
    })
  }
  if (newMode === undefined) return formatPatch({ ...patch, newFileName: "/dev/null", isDelete: true, oldMode })
  if (kindOf(oldMode) !== kindOf(newMode)) {
    const gone = patchText([path, before, null], [old, ""], wholeFileHunks(old, ""))
    return gone + patchText([path, null, after], ["", young], wholeFileHunks("", young))
  }
  return formatPatch({ ...patch, ...(oldMode === newMode ? {} : { oldMode, newMode }) })
}

const wholeFileHunks = (old: string, young: string): Hunks =>
  old === young ? [] : [replacement(linesIn(old), linesIn(young))]

/** The part of the diff for a file whose lines are not shown. */
export const markText = (pair: Pair, binary: boolean): string => {
  const [path, before, after] = pair
  const old = modeOf(before) === undefined ? "/dev/null" : quoted(`a${path}`)
  const young = modeOf(after) === undefined ? "/dev/null" : quoted(`b${path}`)
  const head = patchText(pair, ["", ""], [])
  return `${head}${binary ? "Binary files" : "Files"} ${old} and ${young} differ${binary ? "" : " (too large to be shown)"}\n`
}

const quoted = (path: string): string => (/[\s"\\]/.test(path) ? JSON.stringify(path) : path)
