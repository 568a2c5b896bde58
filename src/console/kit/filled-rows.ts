// Receives the rows of a list that are near what is seen; returns those that have their content. The others come in the
// next tasks, those in the middle of what is seen first.
// Invariant: a row that has its content keeps it while it is in the page, and a task fills a bounded number of rows, however
// far the list was scrolled: more of them, with their layout and paint, would hold up the page.
import type { VirtualItem } from "@tanstack/virtual-core"
import { useLayoutEffect, useReducer, useRef } from "preact/hooks"

const ROWS_A_TASK = 4

type Key = VirtualItem["key"]

/** `isFirst`: a row that is filled at once, since it has the focus or is to get it. */
export const useFilledRows = (
  rows: ReadonlyArray<VirtualItem>,
  isFirst: (index: number) => boolean,
): ReadonlySet<Key> => {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const known = useRef<ReadonlySet<Key>>(new Set())
  const left = useRef(ROWS_A_TASK)
  const isWaiting = useRef(false)
  const middle = ((rows[0]?.index ?? 0) + (rows.at(-1)?.index ?? 0)) / 2
  const fresh = rows
    .filter(({ key, index }) => !known.current.has(key) && !isFirst(index))
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

/** A task of its own, so that what it fills is not in the frame that filled rows already. */
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
