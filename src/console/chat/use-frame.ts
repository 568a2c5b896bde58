// Reads a signal that may change many times a second; renders at most once per frame.
import type { ReadonlySignal } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"

export const useFrame = <Value>(source: ReadonlySignal<Value>): Value => {
  const [value, setValue] = useState(() => source.peek())
  useEffect(() => {
    let frame = 0
    const stop = source.subscribe(() => {
      if (frame !== 0) return
      frame = requestAnimationFrame(() => {
        frame = 0
        const next = source.peek()
        setValue(() => next)
      })
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [source])
  return value
}
