// Chooses which rows of a virtual list are rendered with content now. The other rows are empty boxes of their estimated
// height, which get their content in later tasks, starting in the middle of the rows or at their end.
// Invariant: a row keeps its content while it is in the page. A task that has spent TASK_MS on filling rows fills no more
// rows: filling all of them at once after a far jump would block the page during rendering, layout and paint.
import type { VirtualItem } from "@tanstack/virtual-core"
import { useLayoutEffect, useReducer, useRef } from "preact/hooks"
import { behindNextFrame, type LaterTask } from "./behind-next-frame.ts"

/** Short enough that rows, including layout and paint, do not block even a phone that is four times slower. */
const TASK_MS = 4
const MAX_ROWS_A_TASK = 4

type Key = VirtualItem["key"]

interface FillOptions {
  /** Whether a row is filled immediately, regardless of the limit. */
  readonly isUrgent: (index: number) => boolean
  /** The row that is filled first; the others follow by their distance from it. */
  readonly from: "middle" | "end"
}

/** Returns the keys of the rows to render with content. */
export const useFilledRows = (rows: ReadonlyArray<VirtualItem>, { isUrgent, from }: FillOptions): ReadonlySet<Key> => {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const known = useRef<ReadonlySet<Key>>(new Set())
  // The task that lays out a new list must not fill rows.
  const task = useRef<FillTask>({ rows: MAX_ROWS_A_TASK, startedAt: null })
  const isWaiting = useRef(false)
  const limited = rows.filter(({ index }) => !isUrgent(index))
  const [first, last] = [limited[0]?.index ?? 0, limited.at(-1)?.index ?? 0]
  const wanted = from === "end" ? last : (first + last) / 2
  const fresh = limited
    .filter(({ key }) => !known.current.has(key))
    .toSorted((one, other) => Math.abs(one.index - wanted) - Math.abs(other.index - wanted))
  if (fresh.length > 0) task.current.startedAt ??= performance.now()
  const waiting = new Set(fresh.slice(mayFill(task.current) ? 1 : 0).map(({ key }) => key))
  const filled = new Set(rows.map(({ key }) => key).filter((key) => !waiting.has(key)))
  const refill = useRef<LaterTask | null>(null)
  useLayoutEffect(() => {
    known.current = filled
    task.current.rows += fresh.length - waiting.size
    isWaiting.current = waiting.size > 0
    if (task.current.startedAt === null) return
    // Preact renders again within the current task.
    if (isWaiting.current && mayFill(task.current)) render(undefined)
    refill.current ??= behindNextFrame(() => {
      refill.current = null
      task.current = { rows: 0, startedAt: null }
      if (isWaiting.current) render(undefined)
    })
  })
  useLayoutEffect(() => () => refill.current?.cancel(), [])
  return filled
}

/** Counts the rows that were filled since the last frame. */
interface FillTask {
  rows: number
  /** `performance.now()` before the first of them was rendered; null when there is none. */
  startedAt: number | null
}

const mayFill = ({ rows, startedAt }: FillTask): boolean =>
  rows < MAX_ROWS_A_TASK && (rows === 0 || startedAt === null || performance.now() - startedAt < TASK_MS)
