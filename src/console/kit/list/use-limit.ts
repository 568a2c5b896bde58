// Receives how many rows or sections there are; returns how many of them, from the first, are rendered now. The others follow in
// later tasks: adding hundreds of them in one would block the page.
import { useLayoutEffect, useReducer, useRef } from "preact/hooks"
import { behindNextFrame } from "./behind-next-frame.ts"

/** At most `step` are added in each task. */
export const useLimit = (length: number, step: number): number => {
  const [, render] = useReducer((count: number) => count + 1, 0)
  const shown = useRef(0)
  const limit = Math.min(length, shown.current + step)
  useLayoutEffect(() => {
    shown.current = limit
    return limit < length ? behindNextFrame(() => render(undefined)).cancel : undefined
  })
  return limit
}
