// Selects next to the prompt for the session's model and permission mode. Changes apply from the next turn on.
import { useSignal } from "@preact/signals"
import type { PatchSession } from "../../client/api/session-shapes.ts"
import { keepFocus } from "../app/keep-focus.ts"
import { messageOf } from "../app/server.ts"
import type { SessionStore } from "../store/session-store.ts"
import { ModelSelect, ModeSelect } from "./choice-select.tsx"

export const SessionSettings = ({ store }: { readonly store: SessionStore }) => {
  const isBusy = useSignal(false)
  const error = useSignal<string | null>(null)
  const session = store.session.value
  const change = async (to: PatchSession) => {
    const restoreFocus = keepFocus()
    isBusy.value = true
    error.value = null
    try {
      store.take(await store.server.client.session(store.id).update(to))
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isBusy.value = false
      restoreFocus()
    }
  }
  // Reserves the row of the selects while the session is loading, so that the prompt does not move.
  if (session === null) return <span class="choice-room" />
  return (
    <>
      <ModelSelect value={session.model} disabled={isBusy.value} onChange={(model) => void change({ model })} />
      <ModeSelect
        value={session.permissionMode}
        disabled={isBusy.value}
        onChange={(permissionMode) => void change({ permissionMode })}
      />
      {error.value === null ? null : (
        <span class="error" role="alert">
          {error.value}
        </span>
      )}
    </>
  )
}
