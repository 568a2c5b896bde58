// Where prompts are written. A prompt is kept until the server has accepted it.
import { useSignal } from "@preact/signals"
import { messageOf } from "../app/server.ts"
import type { SessionStore } from "../store/session-store.ts"

export const Composer = ({ store }: { readonly store: SessionStore }) => {
  const text = useSignal("")
  const error = useSignal<string | null>(null)
  const isBusy = useSignal(false)
  const send = async () => {
    const prompt = text.value.trim()
    if (prompt === "" || isBusy.value) return
    isBusy.value = true
    error.value = null
    try {
      await store.server.transport.send("POST", `/v1/sessions/${store.id}/query`, {
        json: { prompt },
        headers: { prefer: "respond-async", "idempotency-key": crypto.randomUUID() },
      })
      text.value = ""
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label class="visually-hidden" for="prompt">
        Prompt
      </label>
      <textarea id="prompt" rows={3} value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
      {error.value === null ? null : (
        <p class="error" role="alert">
          {error.value}
        </p>
      )}
      <button class="primary" type="submit" disabled={isBusy.value}>
        Send
      </button>
    </form>
  )
}
