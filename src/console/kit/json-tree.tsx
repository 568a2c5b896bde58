// A JSON value as a tree that opens and closes, by mouse or by the keys of a tree.
import { useRef, useState } from "preact/hooks"
import { type JsonRow, jsonRows, moveOfKey, openTo } from "./json-rows.ts"
import { visibleText } from "./text/visible-text.ts"

interface JsonTreeProps {
  readonly value: unknown
  readonly label: string
  /** Levels that are open at first (1). */
  readonly depth?: number
}

export const JsonTree = ({ value, label, depth = 1 }: JsonTreeProps) => {
  const tree = useRef<HTMLUListElement>(null)
  const [open, setOpen] = useState(() => openTo(value, depth))
  const [focus, setFocus] = useState("")
  const rows = jsonRows(value, open)

  const toggle = (path: string) => {
    setOpen((known) => {
      const next = new Set(known)
      if (!next.delete(path)) next.add(path)
      return next
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const move = moveOfKey(event.key, rows, focus)
    if (move === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (move.kind === "toggle") return toggle(move.path)
    setFocus(move.path)
    const index = rows.findIndex(({ path }) => path === move.path)
    tree.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')[index]?.focus()
  }
  const current = rows.some(({ path }) => path === focus) ? focus : ""
  return (
    <ul class="json-tree" role="tree" aria-label={label} ref={tree} onKeyDown={onKeyDown}>
      {rows.map((row) => (
        <JsonRowView
          key={row.path}
          row={row}
          isCurrent={row.path === current}
          onToggle={() => {
            setFocus(row.path)
            if (row.isExpandable) toggle(row.path)
          }}
        />
      ))}
    </ul>
  )
}

interface JsonRowProps {
  readonly row: JsonRow
  readonly isCurrent: boolean
  readonly onToggle: () => void
}

const JsonRowView = ({ row, isCurrent, onToggle }: JsonRowProps) => (
  <li
    role="treeitem"
    aria-level={row.depth + 1}
    aria-expanded={row.isExpandable ? row.isExpanded : undefined}
    tabIndex={isCurrent ? 0 : -1}
    class={`json-row ${row.kind}`}
    style={{ paddingInlineStart: `${row.depth * 14}px` }}
    onClick={() => {
      // A click that selects text opens nothing.
      if (getSelection()?.isCollapsed !== false) onToggle()
    }}
  >
    <span class="json-mark" aria-hidden="true">
      {row.isExpandable ? (row.isExpanded ? "▾" : "▸") : ""}
    </span>
    {row.name === null ? null : <span class="json-name">{visibleText(row.name)}: </span>}
    <span class={row.isExpanded && row.kind === "string" ? "json-text whole" : "json-text"}>{row.text}</span>
  </li>
)
