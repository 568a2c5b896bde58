// Which key sends what is written: Enter, but on the keyboard of a touch screen, which has no other key for a new line.

/** Nothing is pointed at but by touch: the keyboard is on the screen. */
const TOUCH = "(hover: none) and (pointer: coarse)"

export const hasTouchKeyboard = (): boolean => matchMedia(TOUCH).matches

/** Whether a key sends. Enter also ends the choice of an input method's words, which sends nothing. */
export const isSendKey = (event: KeyboardEvent): boolean => {
  if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing || event.keyCode === 229)
    return false
  return event.ctrlKey || event.metaKey || !hasTouchKeyboard()
}
