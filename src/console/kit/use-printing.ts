// A hook that returns whether the page is being printed: virtual lists then render all of their rows, and long texts are not cut.
import { signal } from "@preact/signals"

// Shared by all components, so that it is also known to those that are first rendered for printing.
const isPrinting = signal(false)

// Preact renders the change in a microtask after the event, which is before the browser lays the page out for printing.
addEventListener("beforeprint", () => (isPrinting.value = true))
addEventListener("afterprint", () => (isPrinting.value = false))

export const usePrinting = (): boolean => isPrinting.value
