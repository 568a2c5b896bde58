// Where prompts are written. Enter sends, Shift+Enter begins a line, Escape stops the turn that runs.
// Invariant: what is typed stays until the outbox has taken it, and the outbox keeps it until the server has accepted it.
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { messageOf } from "../app/server.ts"
import type { SessionStore } from "../store/session-store.ts"
import { readDraft, writeDraft } from "./drafts.ts"
import { OutboxList } from "./outbox-list.tsx"
import { type Outgoing, textOfPrompt } from "./outbox.ts"
import { outboxOf } from "./outboxes.ts"

export const Composer = ({ store }: { readonly store: SessionStore }) => {
  const outbox = outboxOf(store.server, store.id)
  const text = useSignal(readDraft(sessionStorage, store.id))
  const error = useSignal<string | null>(null)
  const isStopping = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const isBusy = store.state.value !== "idle"

  const write = (next: string) => {
    text.value = next
    writeDraft(sessionStorage, store.id, next)
  }
  const send = (on_busy: Outgoing["on_busy"] = "queue") => {
    const prompt = text.value.trim()
    if (prompt === "") return
    outbox.add(prompt, on_busy)
    write("")
    field.current?.focus()
  }
  const stop = async () => {
    if (isStopping.value) return
    isStopping.value = true
    error.value = null
    try {
      await store.server.client.session(store.id).interrupt()
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isStopping.value = false
    }
  }
  const edit = (taken: Outgoing) => {
    const before = text.value.trim()
    write(before === "" ? textOfPrompt(taken.prompt) : `${textOfPrompt(taken.prompt)}\n${before}`)
    field.current?.focus()
  }

  useEffect(() => {
    outbox.resume()
    const online = () => outbox.resume()
    addEventListener("online", online)
    return () => removeEventListener("online", online)
  }, [outbox])

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter ends the choice of an input method's words, too.
    if (event.isComposing || event.keyCode === 229) return
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      send(event.ctrlKey || event.metaKey ? "interrupt" : "queue")
    } else if (event.key === "Escape" && isBusy) {
      event.preventDefault()
      void stop()
    }
  }

  return (
    <div class="composer-area">
      <OutboxList outbox={outbox} onEdit={edit} />
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
      >
        <label class="visually-hidden" for="prompt">
          Prompt
        </label>
        <textarea
          ref={field}
          id="prompt"
          rows={3}
          placeholder="Enter sends, Shift+Enter begins a new line"
          value={text.value}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {error.value === null ? null : (
          <p class="error" role="alert">
            {error.value}
          </p>
        )}
        <div class="composer-bar">
          <span class="grow" />
          {isBusy ? (
            <>
              <button type="button" disabled={isStopping.value} aria-keyshortcuts="Escape" onClick={() => void stop()}>
                {isStopping.value ? "Stopping…" : "Stop"}
              </button>
              <button type="button" disabled={text.value.trim() === ""} onClick={() => send("interrupt")}>
                Stop and send
              </button>
            </>
          ) : null}
          <button class="primary" type="submit" disabled={text.value.trim() === ""}>
            {isBusy ? "Send next" : "Send"}
          </button>
        </div>
      </form>
    </div>
  )
}
