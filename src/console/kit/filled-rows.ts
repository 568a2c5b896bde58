// Chooses which rows of a virtual list are rendered with content now. The other rows are empty boxes of their estimated
// height, which get their content in later tasks, starting in the middle of the rows.
// Invariant: a row keeps its content while it is in the page, and one task fills at most ROWS_A_TASK rows: filling all rows
// after a far jump would block the page with their layout and paint.
import type { VirtualItem } from "@tanstack/virtual-core"
import { useLayoutEffect, useReducer, useRef } from "preact/hooks"

const ROWS_A_TASK = 4

type Key = VirtualItem["key"]

/** Returns the keys of the rows to render with content. `isUrgent`: rows that are filled at once, outside the limit. */
export const useFilledRows = (
  rows: ReadonlyArray<VirtualItem>,
  isUrgent: (index: number) => boolean,
): ReadonlySet<Key> => {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const known = useRef<ReadonlySet<Key>>(new Set())
  const left = useRef(ROWS_A_TASK)
  const isWaiting = useRef(false)
  const limited = rows.filter(({ index }) => !isUrgent(index))
  const middle = ((limited[0]?.index ?? 0) + (limited.at(-1)?.index ?? 0)) / 2
  const fresh = limited
    .filter(({ key }) => !known.current.has(key))
    .toSorted((one, other) => Math.abs(one.index - middle) - Math.abs(other.index - middle))
  const waiting = new Set(fresh.slice(left.current).map(({ key }) => key))
  const filled = new Set(rows.map(({ key }) => key).filter((key) => !waiting.has(key)))
  const refill = useRef<Refill | null>(null)
  useLayoutEffect(() => {
    known.current = filled
    left.current = Math.max(0, left.current - fresh.length)
    isWaiting.current = waiting.size > 0
    if (left.current === ROWS_A_TASK || refill.current !== null) return
    refill.current = behindNextFrame(() => {
      refill.current = null
      left.current = ROWS_A_TASK
      if (isWaiting.current) render(undefined)
    })
  })
  useLayoutEffect(() => () => refill.current?.cancel(), [])
  return filled
}

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
