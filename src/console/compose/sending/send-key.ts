// Determines which key sends a prompt: Enter, except on a touch keyboard, which has no other key for a new line.

/** Matches devices with touch as the only pointer, whose keyboard is on the screen. */
const TOUCH = "(hover: none) and (pointer: coarse)"

export const hasTouchKeyboard = (): boolean => matchMedia(TOUCH).matches

/** Whether a key event sends the prompt. An Enter that confirms a composition of an input method does not. */
export const isSendKey = (event: KeyboardEvent): boolean => {
  if (event.key !== "Enter" || event.shiftKey || event.altKey || event.isComposing || event.keyCode === 229)
    return false
  return event.ctrlKey || event.metaKey || !hasTouchKeyboard()
}
