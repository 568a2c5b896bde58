// Chooses which rows of a virtual list are rendered with content now. The other rows are empty boxes of their estimated
// height, which get their content in later tasks, starting in the middle of the rows.
// Invariant: a row keeps its content while it is in the page. A task that has spent TASK_MS on filling rows fills no further
// one: all rows after a far jump at once would block the page while they are rendered, laid out and painted.
import type { VirtualItem } from "@tanstack/virtual-core"
import { useLayoutEffect, useReducer, useRef } from "preact/hooks"

/** Short enough that rows, with their layout and paint, do not block even a phone that is four times slower. */
const TASK_MS = 4
const MAX_ROWS_A_TASK = 4

type Key = VirtualItem["key"]

/** Returns the keys of the rows to render with content. `isUrgent`: rows that are filled at once, outside the limit. */
export const useFilledRows = (
  rows: ReadonlyArray<VirtualItem>,
  isUrgent: (index: number) => boolean,
): ReadonlySet<Key> => {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const known = useRef<ReadonlySet<Key>>(new Set())
  const task = useRef<FillTask>({ rows: 0, startedAt: null })
  const isWaiting = useRef(false)
  const limited = rows.filter(({ index }) => !isUrgent(index))
  const middle = ((limited[0]?.index ?? 0) + (limited.at(-1)?.index ?? 0)) / 2
  const fresh = limited
    .filter(({ key }) => !known.current.has(key))
    .toSorted((one, other) => Math.abs(one.index - middle) - Math.abs(other.index - middle))
  if (fresh.length > 0) task.current.startedAt ??= performance.now()
  const waiting = new Set(fresh.slice(mayFill(task.current) ? 1 : 0).map(({ key }) => key))
  const filled = new Set(rows.map(({ key }) => key).filter((key) => !waiting.has(key)))
  const refill = useRef<Refill | null>(null)
  useLayoutEffect(() => {
    known.current = filled
    task.current.rows += fresh.length - waiting.size
    isWaiting.current = waiting.size > 0
    if (task.current.startedAt === null) return
    // Preact renders again before this task ends.
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

/** The rows that were filled since the last frame. */
interface FillTask {
  rows: number
  /** What `performance.now()` returned before the first of them was rendered; null when there is none. */
  startedAt: number | null
}

const mayFill = ({ rows, startedAt }: FillTask): boolean =>
  rows < MAX_ROWS_A_TASK && (rows === 0 || startedAt === null || performance.now() - startedAt < TASK_MS)

interface Refill {
  readonly cancel: () => void
}

/** Runs `task` in a task after the next frame, so that the frame lays out only the rows that were filled before it. */
const behindNextFrame = (task: () => void): Refill => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const frame = requestAnimationFrame(() => (timer = setTimeout(task)))
  return {
    cancel: () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    },
  }
}
