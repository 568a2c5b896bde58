// The files as an ARIA tree: one tab stop, arrow keys, and elements only for the visible rows.
import { useSignal } from "@preact/signals"
import type { RefObject } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { bytes } from "../../kit/format.ts"
import { visibleText } from "../../kit/text/visible-text.ts"
import { moveOf, type TreeRow } from "./tree-model.ts"
import type { WorkspaceFiles } from "../workspace-files.ts"

/** The height of a row in pixels, as in workspace.css. */
const ROW = 28
/** The number of rows above and below the visible ones that have elements. */
const SPARE = 10

interface TreeProps {
  readonly workspace: WorkspaceFiles
  readonly onOpen: (path: string) => void
  readonly onRemove: (path: string) => void
}

const idOf = (path: string): string => `file:${path}`

export const FileTree = ({ workspace, onOpen, onRemove }: TreeProps) => {
  const element = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const rows = workspace.rows.value
  const active = workspace.active.value
  const height = useHeight(element)
  useEffect(() => {
    const index = rows.findIndex(({ path }) => path === active)
    if (index !== -1 && element.current !== null) scrollToRow(element.current, index)
  }, [active])

  const first = Math.max(Math.floor(top.value / ROW) - SPARE, 0)
  const last = Math.min(first + Math.ceil(height / ROW) + 2 * SPARE, rows.length)
  const shown = rows.slice(first, last)
  // The active row has an element only while it is in or near the visible area.
  const isShown = active !== null && shown.some(({ path }) => path === active)

  const choose = (row: TreeRow) => {
    workspace.active.value = row.path
    if (row.type === "directory") workspace.toggle(row.path)
    else onOpen(row.path)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = rows.find(({ path }) => path === active) ?? rows[0]
    if (row === undefined) return
    if (event.key === "Enter" || event.key === " ") choose(row)
    else if (event.key === "Delete") onRemove(row.path)
    else {
      const move = moveOf(rows, active, event.key, Math.max(Math.floor(height / ROW) - 1, 1))
      if (move === null) return
      if (move.toggle !== undefined) workspace.toggle(move.toggle)
      workspace.active.value = move.active
    }
    event.preventDefault()
  }
  return (
    <div
      ref={element}
      class="file-tree"
      role="tree"
      aria-label="Files"
      aria-busy={workspace.isLoading.value}
      tabIndex={0}
      aria-activedescendant={isShown ? idOf(active) : undefined}
      onKeyDown={onKeyDown}
      onFocus={() => (workspace.active.value ??= rows[0]?.path ?? null)}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
    >
      <div class="file-tree-space" role="presentation" style={{ height: `${rows.length * ROW}px` }}>
        {shown.map((row, index) => (
          <TreeItem
            key={row.path}
            row={row}
            top={(first + index) * ROW}
            isActive={row.path === active}
            isOpen={row.path === workspace.opened.value?.path}
            onChoose={() => choose(row)}
          />
        ))}
      </div>
    </div>
  )
}

/** The visible height of the element in pixels. */
const useHeight = (element: RefObject<HTMLDivElement | null>): number => {
  const height = useSignal(600)
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(() => (height.value = current.clientHeight))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return height.value
}

/** Scrolls as little as necessary until the whole row is visible. */
const scrollToRow = (tree: HTMLElement, index: number): void => {
  const rowTop = index * ROW
  const rowBottom = rowTop + ROW
  if (rowTop < tree.scrollTop) tree.scrollTop = rowTop
  else if (rowBottom > tree.scrollTop + tree.clientHeight) tree.scrollTop = rowBottom - tree.clientHeight
}

interface ItemProps {
  readonly row: TreeRow
  readonly top: number
  readonly isActive: boolean
  readonly isOpen: boolean
  readonly onChoose: () => void
}

const TreeItem = ({ row, top, isActive, isOpen, onChoose }: ItemProps) => (
  <div
    id={idOf(row.path)}
    role="treeitem"
    class={isActive ? "file-row active" : "file-row"}
    aria-level={row.level}
    aria-posinset={row.position}
    aria-setsize={row.siblings}
    aria-expanded={row.type === "directory" ? row.isExpanded : undefined}
    aria-selected={isOpen}
    style={{ top: `${top}px`, paddingInlineStart: `${row.level * 14}px` }}
    title={visibleText(row.path)}
    onClick={onChoose}
  >
    <span class="file-icon" aria-hidden="true">
      {row.type === "directory" ? (row.isExpanded ? "▾" : "▸") : row.type === "symlink" ? "↗" : "·"}
    </span>
    <span class="file-name">{visibleText(row.name)}</span>
    <span class="file-size">{bytes(row.size)}</span>
  </div>
)
