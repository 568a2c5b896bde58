// A hook that returns whether the page is being printed: virtual lists then render all of their rows.
import { useEffect, useState } from "preact/hooks"

export const usePrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
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
