// Compares a folder, a session's files and their common base, the state of the last synchronization; returns an action per path.
// Invariant: a path that changed only at the source is written to the target; one that changed on both sides is a conflict and is
// left as it is.
import { parentsOf, sameEntry, type Tree, type TreeEntry } from "./tree-entry.ts"

export interface SyncPlan {
  /** Paths to write on the other side. */
  readonly write: ReadonlyArray<string>
  /** Paths to remove on the other side, the deepest first. */
  readonly remove: ReadonlyArray<string>
  /** Paths that changed on both sides. */
  readonly conflicts: ReadonlyArray<string>
  /** Paths that are the same on both sides. */
  readonly same: ReadonlyArray<string>
}

export interface SyncSides {
  /** Where changes come from. */
  readonly source: Tree
  /** Where changes are written. */
  readonly target: Tree
  /** The entries that both sides had after the last synchronization; null when that is not known. */
  readonly base: Tree | null
  /** Without a base: whether a path that differs at the target is replaced (a push) or is a conflict (a pull). */
  readonly replaceUnknown: boolean
  /** Resolves conflicts in favour of the source. */
  readonly force?: boolean
  /** Whether permission bits are compared. */
  readonly modes?: boolean
}

/** Both trees must include all their folders, also those that are only implied by the paths in them. */
export const planSync = ({
  source,
  target,
  base,
  replaceUnknown,
  force = false,
  modes = true,
}: SyncSides): SyncPlan => {
  const write: Array<string> = []
  const remove: Array<string> = []
  const conflicts: Array<string> = []
  const same: Array<string> = []
  const equal = (a: TreeEntry | undefined, b: TreeEntry | undefined) => sameEntry(a, b, modes)
  const paths = new Set([...source.keys(), ...target.keys(), ...(base?.keys() ?? [])])
  for (const path of paths) {
    const from = source.get(path)
    const to = target.get(path)
    const before = base?.get(path)
    if (equal(from, to)) {
      if (from !== undefined) same.push(path)
      continue
    }
    if (base === null) {
      if (from === undefined) continue
      if (to === undefined || replaceUnknown || force) write.push(path)
      else conflicts.push(path)
      continue
    }
    if (equal(from, before)) continue
    if (!equal(to, before) && !force) conflicts.push(path)
    else if (from === undefined) remove.push(path)
    else write.push(path)
  }
  return settle({ write, remove, conflicts, same }, source, target)
}

/** Keeps folders that are not empty afterwards, and drops writes over or below paths that stay as they are. */
const settle = ({ write, remove, conflicts, same }: SyncPlan, source: Tree, target: Tree): SyncPlan => {
  const removed = new Set(remove)
  const kept = new Set([...target.keys()].filter((path) => !removed.has(path)).flatMap(parentsOf))
  const occupied = write.filter((path) => kept.has(path) && source.get(path)?.type !== "directory")
  const stuck = new Set([...conflicts, ...occupied].filter((path) => source.get(path)?.type !== target.get(path)?.type))
  return {
    write: write
      .filter((path) => !occupied.includes(path) && !parentsOf(path).some((above) => stuck.has(above)))
      .toSorted(),
    remove: remove.filter((path) => !kept.has(path)).toSorted((a, b) => b.split("/").length - a.split("/").length),
    conflicts: [...conflicts, ...occupied].toSorted(),
    same,
  }
}
