// Selects next to the prompt for the session's model and permission mode. Changes apply from the next turn on.
// Invariant: while a change is saved, the select shows the new value.
import { useSignal } from "@preact/signals"
import type { PatchSession } from "../../client/api/session-shapes.ts"
import { keepFocus } from "../app/keep-focus.ts"
import { messageOf } from "../app/server.ts"
import type { SessionStore } from "../store/session-store.ts"
import { ModelSelect, ModeSelect } from "./choice-select.tsx"

export const SessionSettings = ({ store }: { readonly store: SessionStore }) => {
  const saving = useSignal<PatchSession | null>(null)
  const error = useSignal<string | null>(null)
  const session = store.session.value
  const change = async (to: PatchSession) => {
    const restoreFocus = keepFocus()
    saving.value = to
    error.value = null
    try {
      await store.update(to)
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      saving.value = null
      restoreFocus()
    }
  }
  // Reserves the row of the selects while the session is loading, so that the prompt does not move.
  if (session === null) return <span class="choice-room" />
  return (
    <>
      <ModelSelect
        value={saving.value?.model ?? session.model}
        disabled={saving.value !== null}
        onChange={(model) => void change({ model })}
      />
      <ModeSelect
        value={saving.value?.permissionMode ?? session.permissionMode}
        disabled={saving.value !== null}
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
