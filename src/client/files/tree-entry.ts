// What a tree is compared by: each path's type, content, permission bits or target, the same for a folder and a session.
// Invariant: paths are relative to the tree's root, with "/" between names, and never empty.

export type TreeEntry =
  | { readonly type: "file"; readonly sha256: string; readonly size: number; readonly mode: number }
  | { readonly type: "directory" }
  | { readonly type: "symlink"; readonly target: string }

export type Tree = ReadonlyMap<string, TreeEntry>

/** Whether two places hold the same. Modes count where both sides have any (Windows has none). */
export const sameEntry = (a: TreeEntry | undefined, b: TreeEntry | undefined, modes = true): boolean => {
  if (a === undefined || b === undefined) return a === b
  if (a.type === "file" && b.type === "file") return a.sha256 === b.sha256 && (!modes || a.mode === b.mode)
  if (a.type === "symlink" && b.type === "symlink") return a.target === b.target
  return a.type === "directory" && b.type === "directory"
}

/** Directories above a path, the nearest first, without the root. */
export const parentsOf = (path: string): ReadonlyArray<string> => {
  const names = path.split("/")
  return names.slice(1).map((_, index) => names.slice(0, names.length - 1 - index).join("/"))
}

/** A tree with the folders that its paths imply. */
export const withFolders = (tree: Tree): Tree => {
  const whole = new Map(tree)
  for (const path of tree.keys()) {
    for (const above of parentsOf(path)) if (!whole.has(above)) whole.set(above, { type: "directory" })
  }
  return whole
}

/** Where a link's text leads, relative to the root; null when that is outside of it, or absolute. */
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

/** What never travels: a repository's own folder, which can hold programs that git runs, and the session's own notes. */
export const isReserved = (path: string): boolean =>
  path.split("/").some((name) => /^(?:\.git|git~1)[. ]*$/i.test(name)) ||
  path === ".perch" ||
  path.startsWith(".perch/")

/** Why a session can't hold a file of this name; null when it can. */
export const nameProblem = (path: string): string | null => {
  if (!path.isWellFormed()) return "its name is not valid Unicode"
  const bytes = new TextEncoder()
  if (path.split("/").some((name) => bytes.encode(name).length > 255)) return "its name is longer than 255 bytes"
  return bytes.encode(path).length > 4000 ? "its path is longer than 4,000 bytes" : null
}
