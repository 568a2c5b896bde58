// The workspace's files as a tree, its visible rows, and the effect of keys.
// Invariant: folders precede files, and both are sorted by name; a folder's size is the sum of the files below it.
import type { WorkspaceFile } from "../../../client/api/session-files.ts"

type NodeType = WorkspaceFile["type"]

export interface TreeNode {
  readonly path: string
  readonly name: string
  readonly type: NodeType
  size: number
  readonly children: Array<TreeNode>
}

export interface TreeRow {
  readonly path: string
  readonly name: string
  readonly type: NodeType
  readonly size: number
  /** 1 for the top level. */
  readonly level: number
  readonly isExpanded: boolean
  /** Its position among its siblings, from 1; `siblings` is their number. */
  readonly position: number
  readonly siblings: number
}

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/"

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

export const joinPath = (folder: string, name: string): string => `${folder === "/" ? "" : folder}/${name}`

const NAMES = new Intl.Collator("en", { numeric: true })

const byName = (one: TreeNode, other: TreeNode): number =>
  Number(other.type === "directory") - Number(one.type === "directory") || NAMES.compare(one.name, other.name)

/** Builds the tree and returns its root; folders that the list does not contain are derived from the paths of their files. */
export const treeOf = (files: ReadonlyArray<WorkspaceFile>): TreeNode => {
  const root: TreeNode = { path: "/", name: "/", type: "directory", size: 0, children: [] }
  const folders = new Map<string, TreeNode>([["/", root]])
  const folderAt = (path: string): TreeNode => {
    const known = folders.get(path)
    if (known !== undefined) return known
    const node: TreeNode = { path, name: nameOf(path), type: "directory", size: 0, children: [] }
    folders.set(path, node)
    folderAt(parentOf(path)).children.push(node)
    return node
  }
  for (const { path, type, size } of files) {
    if (type === "directory") folderAt(path)
    else folderAt(parentOf(path)).children.push({ path, name: nameOf(path), type, size, children: [] })
  }
  finish(root)
  return root
}

const finish = (node: TreeNode): number => {
  if (node.type !== "directory") return node.size
  node.children.sort(byName)
  node.size = node.children.reduce((sum, child) => sum + finish(child), 0)
  return node.size
}

/** The rows below the root, including the content of expanded folders. */
export const rowsOf = (root: TreeNode, expanded: ReadonlySet<string>): ReadonlyArray<TreeRow> => {
  const rows: Array<TreeRow> = []
  const add = (node: TreeNode, level: number): void => {
    for (const [index, { path, name, type, size, children }] of node.children.entries()) {
      const isExpanded = type === "directory" && expanded.has(path)
      rows.push({ path, name, type, size, level, isExpanded, position: index + 1, siblings: node.children.length })
      if (isExpanded) add({ path, name, type, size, children }, level + 1)
    }
  }
  add(root, 1)
  return rows
}

export interface TreeMove {
  /** The path of the new active row. */
  readonly active: string
  /** The folder to expand or collapse. */
  readonly toggle?: string
}

/** The effect of a key at the active row, as in the ARIA tree pattern; null when the tree does not use the key. */
export const moveOf = (
  rows: ReadonlyArray<TreeRow>,
  active: string | null,
  key: string,
  page = 10,
): TreeMove | null => {
  const index = Math.max(
    rows.findIndex(({ path }) => path === active),
    0,
  )
  const row = rows[index]
  if (row === undefined) return null
  const to = (place: number): TreeMove => ({
    active: rows[Math.min(Math.max(place, 0), rows.length - 1)]?.path ?? row.path,
  })
  switch (key) {
    case "ArrowDown":
      return to(index + 1)
    case "ArrowUp":
      return to(index - 1)
    case "PageDown":
      return to(index + page)
    case "PageUp":
      return to(index - page)
    case "Home":
      return to(0)
    case "End":
      return to(rows.length - 1)
    case "ArrowRight":
      if (row.type !== "directory") return to(index)
      return row.isExpanded ? to((rows[index + 1]?.level ?? 0) > row.level ? index + 1 : index) : toggled(row)
    case "ArrowLeft": {
      if (row.isExpanded) return toggled(row)
      const parent = rows.findIndex(({ path }) => path === parentOf(row.path))
      return to(parent === -1 ? index : parent)
    }
    default:
      return key.length === 1 && key !== " " ? typed(rows, index, key) : null
  }
}

const toggled = ({ path }: TreeRow): TreeMove => ({ active: path, toggle: path })

/** Moves to the next row whose name starts with the typed character. */
const typed = (rows: ReadonlyArray<TreeRow>, index: number, key: string): TreeMove | null => {
  const later = [...rows.slice(index + 1), ...rows.slice(0, index + 1)]
  const found = later.find(({ name }) => name.toLowerCase().startsWith(key.toLowerCase()))
  return found === undefined ? null : { active: found.path }
}

/** A path and all folders above it, so that they can be expanded. */
export const foldersTo = (path: string): ReadonlyArray<string> => {
  const names = path.split("/").filter((name) => name !== "")
  return names.map((_, index) => `/${names.slice(0, index + 1).join("/")}`)
}

/** The problem with a typed file name; null when it is valid. Slashes separate folders. */
export const nameProblem = (name: string): string | null => {
  if (name.trim() === "") return "Enter a name."
  if (name.includes("\0")) return "The name must not have a NUL character."
  const segments = name.replace(/^\/|\/$/g, "").split("/")
  if (segments.some((segment) => segment === "")) return "Two slashes follow each other. Remove one."
  if (segments.some((segment) => segment === "." || segment === "..")) return "Name the folder itself, without . or .."
  return null
}
