// A hook that returns whether the page is being printed: virtual lists then render all of their rows.
import { useLayoutEffect, useState } from "preact/hooks"

export const usePrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false)
  // A layout effect, so that rows which were never painted are printed too.
  useLayoutEffect(() => {
    // Preact renders the change in a microtask after the event, which is before the browser lays the page out for printing.
    const begin = () => setPrinting(true)
    const end = () => setPrinting(false)
    addEventListener("beforeprint", begin)
    addEventListener("afterprint", end)
    return () => {
      removeEventListener("beforeprint", begin)
      removeEventListener("afterprint", end)
    }
  }, [])
  return isPrinting
}
