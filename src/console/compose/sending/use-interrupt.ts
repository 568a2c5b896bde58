// A hook that interrupts the running turn, for the composer's button and its key: whether the request is running, and its error.
// Invariant: one request at a time; an ask that ends with the turn leaves no note, unless the request fails.
import { useSignal } from "@preact/signals"
import type { RefObject } from "preact"
import { keepFocus } from "../../app/keep-focus.ts"
import { messageOf } from "../../app/server.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { hasTouchKeyboard } from "./send-key.ts"

export const useInterrupt = (store: SessionStore, field: RefObject<HTMLTextAreaElement | null>) => {
  const isSending = useSignal(false)
  const error = useSignal<string | null>(null)
  const send = async () => {
    if (isSending.value) return
    const restoreFocus = keepFocus()
    isSending.value = true
    error.value = null
    const unsettle = store.settleHere()
    try {
      await store.server.client.session(store.id).interrupt()
      // The button is removed with the end of the turn. On a touch keyboard, the focus would open the keyboard.
      if (document.activeElement === document.body && !hasTouchKeyboard()) field.current?.focus({ preventScroll: true })
    } catch (cause) {
      unsettle()
      error.value = messageOf(cause)
    } finally {
      isSending.value = false
      restoreFocus()
    }
  }
  return { isSending, error, send }
}
