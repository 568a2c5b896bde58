// The entries by which trees of a folder and a session are compared: each path's type, content hash, permission bits or target.
// Invariant: paths are relative to the tree's root, with "/" between names, and never empty.

export type TreeEntry =
  | { readonly type: "file"; readonly sha256: string; readonly size: number; readonly mode: number }
  | { readonly type: "directory" }
  | { readonly type: "symlink"; readonly target: string }

export type Tree = ReadonlyMap<string, TreeEntry>

/** Whether two entries are equal. `modes` is false when a side has no permission bits (Windows); they are then ignored. */
export const sameEntry = (a: TreeEntry | undefined, b: TreeEntry | undefined, modes = true): boolean => {
  if (a === undefined || b === undefined) return a === b
  if (a.type === "file" && b.type === "file") return a.sha256 === b.sha256 && (!modes || a.mode === b.mode)
  if (a.type === "symlink" && b.type === "symlink") return a.target === b.target
  return a.type === "directory" && b.type === "directory"
}

/** The directories above a path, the nearest first, without the root. */
export const parentsOf = (path: string): ReadonlyArray<string> => {
  const names = path.split("/")
  return names.slice(1).map((_, index) => names.slice(0, names.length - 1 - index).join("/"))
}

/** Adds the folders that a tree's paths imply. */
export const withFolders = (tree: Tree): Tree => {
  const whole = new Map(tree)
  for (const path of tree.keys()) {
    for (const above of parentsOf(path)) if (!whole.has(above)) whole.set(above, { type: "directory" })
  }
  return whole
}

/** Resolves the target of a link at `path`, relative to the root; null when it is absolute or outside of the root. */
export const linkPlace = (path: string, target: string): string | null => {
  if (target.startsWith("/") || target === "") return null
  const names = path.split("/").slice(0, -1)
  for (const name of target.split("/")) {
    if (name === "" || name === ".") continue
    if (name !== "..") names.push(name)
    else if (names.pop() === undefined) return null
  }
  return names.join("/")
}

/** Whether a path is never synchronized: `.git`, which can have programs that git runs, and the session's notes in `.perch`. */
export const isReserved = (path: string): boolean =>
  path.split("/").some((name) => /^(?:\.git|git~1)[. ]*$/i.test(name)) ||
  path === ".perch" ||
  path.startsWith(".perch/")

/** Why a session can't store a file of this name; null when it can. */
export const nameProblem = (path: string): string | null => {
  if (!path.isWellFormed()) return "its name is not valid Unicode"
  const bytes = new TextEncoder()
  if (path.split("/").some((name) => bytes.encode(name).length > 255)) return "its name is longer than 255 bytes"
  return bytes.encode(path).length > 4000 ? "its path is longer than 4,000 bytes" : null
}
