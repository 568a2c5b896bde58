// A hook for buttons that are removed when a prompt is sent, starts to run or ends: it leaves their focus to the prompt's field.
import { useLayoutEffect } from "preact/hooks"
import { keepFocus } from "../../app/keep-focus.ts"
import { hasTouchKeyboard } from "./send-key.ts"

/** On a touch keyboard, the focus would open the keyboard. */
const promptField = (): HTMLElement | null => (hasTouchKeyboard() ? null : document.getElementById("prompt"))

/** The cleanup of a layout effect runs while the button is still in the document and has the focus. */
export const useLeaveFocus = (): void => useLayoutEffect(() => () => keepFocus(promptField)(), [])
