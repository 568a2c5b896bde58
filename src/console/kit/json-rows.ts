// Receives a JSON value and which of its places are open; returns the rows of a tree that shows it.
// Invariant: a row's path is the JSON Pointer of its value, and a value's children follow it only while it is open. Texts that
// differ look different: invisible characters, and those that reverse the direction of a text, are shown by their code points.
import { cutText } from "./text/cut-text.ts"
import { visibleText } from "./text/visible-text.ts"

export interface JsonRow {
  readonly path: string
  readonly depth: number
  /** The name or index in its parent; null for the whole value. */
  readonly name: string | null
  readonly kind: "object" | "array" | "string" | "number" | "boolean" | "null" | "more"
  readonly text: string
  readonly isExpandable: boolean
  readonly isExpanded: boolean
}

/** Characters of a text that are shown while it is closed. */
const TEXT = 160
/** Children that are shown at once; a row below them opens as many more. */
const CHILDREN = 100

const pointer = (parent: string, name: string): string =>
  `${parent}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`

export const jsonRows = (value: unknown, open: ReadonlySet<string>): ReadonlyArray<JsonRow> => {
  const rows: Array<JsonRow> = []
  const add = (one: unknown, path: string, name: string | null, depth: number): void => {
    const isExpanded = open.has(path)
    if (typeof one !== "object" || one === null) {
      rows.push({ path, depth, name, ...leaf(one, isExpanded) })
      return
    }
    const entries = Array.isArray(one) ? one.map((item, index) => [String(index), item] as const) : Object.entries(one)
    const kind = Array.isArray(one) ? "array" : "object"
    const text = summary(kind, entries.length)
    rows.push({ path, depth, name, kind, text, isExpandable: entries.length > 0, isExpanded })
    if (!isExpanded) return
    let shown = CHILDREN
    while (shown < entries.length && open.has(`${path}#${shown}`)) shown += CHILDREN
    for (const [key, child] of entries.slice(0, shown)) add(child, pointer(path, key), key, depth + 1)
    const rest = entries.length - shown
    if (rest <= 0) return
    const more = { kind: "more", text: `${rest} more`, isExpandable: true, isExpanded: false } as const
    rows.push({ path: `${path}#${shown}`, depth: depth + 1, name: null, ...more })
  }
  add(value, "", null, 0)
  return rows
}

const summary = (kind: "object" | "array", count: number): string => {
  if (kind === "array") return count === 0 ? "[]" : `[${count}]`
  return count === 0 ? "{}" : `{${count}}`
}

type Leaf = Pick<JsonRow, "kind" | "text" | "isExpandable" | "isExpanded">

const leaf = (value: unknown, isExpanded: boolean): Leaf => {
  if (typeof value !== "string") {
    const kind = typeof value === "number" ? "number" : typeof value === "boolean" ? "boolean" : "null"
    return { kind, text: String(value ?? null), isExpandable: false, isExpanded: false }
  }
  const isExpandable = value.length > TEXT || value.includes("\n")
  const { text: start } = cutText(value, { maxLength: TEXT, maxLines: Number.POSITIVE_INFINITY })
  const text = isExpanded || !isExpandable ? value : `${JSON.stringify(start).slice(1, -1)}…`
  return { kind: "string", text: visibleText(text), isExpandable, isExpanded: isExpandable && isExpanded }
}

/** The places that are open at first: those less deep than this. */
export const openTo = (value: unknown, depth: number): ReadonlySet<string> => {
  const open = new Set<string>()
  const visit = (one: unknown, path: string, left: number): void => {
    if (left === 0 || typeof one !== "object" || one === null) return
    open.add(path)
    const entries = Array.isArray(one) ? one.map((item, index) => [String(index), item] as const) : Object.entries(one)
    for (const [key, child] of entries.slice(0, CHILDREN)) visit(child, pointer(path, key), left - 1)
  }
  visit(value, "", depth)
  return open
}

export type TreeMove =
  | { readonly kind: "focus"; readonly path: string }
  | { readonly kind: "toggle"; readonly path: string }

/** What a key does in a tree, as the ARIA practices have it; undefined for other keys. */
export const moveOfKey = (key: string, rows: ReadonlyArray<JsonRow>, focus: string): TreeMove | undefined => {
  const index = rows.findIndex(({ path }) => path === focus)
  const row = rows[index]
  if (row === undefined) return undefined
  const to = (target: JsonRow | undefined): TreeMove | undefined =>
    target === undefined ? undefined : { kind: "focus", path: target.path }
  switch (key) {
    case "ArrowDown":
      return to(rows[index + 1])
    case "ArrowUp":
      return to(rows[index - 1])
    case "Home":
      return to(rows[0])
    case "End":
      return to(rows.at(-1))
    case "ArrowRight":
      if (row.isExpandable && !row.isExpanded) return { kind: "toggle", path: row.path }
      return row.isExpanded && row.kind !== "string" ? to(rows[index + 1]) : undefined
    case "ArrowLeft":
      if (row.isExpanded) return { kind: "toggle", path: row.path }
      return to(rows.slice(0, index).findLast(({ depth }) => depth < row.depth))
    case "Enter":
    case " ":
      return row.isExpandable ? { kind: "toggle", path: row.path } : undefined
    default:
      return undefined
  }
}
