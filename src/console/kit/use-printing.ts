// Whether the page is being printed: then a list that renders what is seen renders all of its rows.
import { useEffect, useState } from "preact/hooks"

export const usePrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // What these change is rendered before the browser lays the page out for paper: in a microtask behind the event.
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
