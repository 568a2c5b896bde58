// Keeps the place of the keyboard over a request: the browser takes the focus from a control that is disabled or removed.
// Invariant: a focus that was moved in the meantime stays where it is.

/** The element that had the focus when the latest request began. */
let latest: Element | null = null

/**
 * Call it before the request, and the returned function after it. A removed control leaves the focus to the element that `next`
 * returns, without one to the main region.
 */
export const keepFocus = (next: () => Element | null | undefined = () => null): (() => void) => {
  const { activeElement: before } = document
  if (!isLost()) latest = before
  // In a task of its own, after the control was rendered again.
  return () => void setTimeout(() => restore(before, next))
}

/** Whether no element has the focus, and none gets it back when a request ends: then a field that appears may take it. */
export const isFocusFree = (): boolean =>
  isLost() && (latest === null || !latest.isConnected || !latest.matches(":disabled"))

const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body

const restore = (before: Element | null, next: () => Element | null | undefined): void => {
  if (!isLost() || !(before instanceof HTMLElement) || before === document.body) return
  before.focus({ preventScroll: true })
  const other = isLost() ? next() : null
  if (other instanceof HTMLElement) other.focus({ preventScroll: true })
  if (isLost()) document.getElementById("main")?.focus({ preventScroll: true })
}
