// The field for prompts. Enter sends (send-key.ts), Shift+Enter starts a new line, Escape interrupts the running turn.
// Invariant: text and attachments stay here until the outbox has accepted them; the outbox keeps them until the server has.
import { newUuid } from "../../client/api/new-uuid.ts"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Prompt } from "../../client/api/session-shapes.ts"
import { isFocusFree } from "../app/keep-focus.ts"
import { messageOf } from "../app/server.ts"
import { ErrorText } from "../kit/error-text.tsx"
import type { SessionStore } from "../store/session-store.ts"
import { AttachButton, AttachmentList, pasteTarget } from "./attachment-list.tsx"
import { attachmentsIn } from "./attachments.ts"
import { ContextMeter } from "./context-meter.tsx"
import { typedAfter } from "./drafts.ts"
import { hasTouchKeyboard, isSendKey } from "./sending/send-key.ts"
import { directLongText, textDirection } from "./sending/text-direction.ts"
import { useInterrupt } from "./sending/use-interrupt.ts"
import { OutboxList } from "./outbox-list.tsx"
import { type Outgoing, textOfPrompt } from "./outbox.ts"
import { outboxOf } from "./outboxes.ts"
import { QueueList } from "./queue-list.tsx"
import { SessionSettings } from "./session-settings.tsx"
import { optionId, SuggestionList, SUGGESTIONS } from "./suggestion-list.tsx"
import { unsentOf } from "./unsent.ts"
import { preparePrompt } from "./upload.ts"
import { useCompletion } from "./use-completion.ts"

export const Composer = ({ store }: { readonly store: SessionStore }) => {
  const outbox = outboxOf(store.server, store.id)
  const { text, attachments, error, isPreparing, write } = unsentOf(store.server, store.id)
  const field = useRef<HTMLTextAreaElement>(null)
  const interrupt = useInterrupt(store, field)
  const isBusy = store.state.value !== "idle"
  const isEmpty = text.value.trim() === "" && attachments.value.length === 0
  const { value: isErased } = store.isErased
  const canSend = !isEmpty && !isErased && !isPreparing.value

  const completion = useCompletion(store, field, write)
  const restore = (prompt: Prompt) => {
    attachments.value = [...attachments.value, ...attachmentsIn(prompt, newUuid)]
    const taken = textOfPrompt(prompt)
    const before = text.value.trim()
    write(before === "" ? taken : `${taken}\n${before}`)
    field.current?.focus()
  }
  const send = async (on_busy: Outgoing["on_busy"] = "queue") => {
    if (!canSend) return
    isPreparing.value = true
    error.value = null
    interrupt.error.value = null
    completion.close()
    const { value: sent } = text
    const { value: attached } = attachments
    try {
      outbox.add(await preparePrompt(store.server, store, sent.trim(), attached), on_busy)
      if (on_busy === "interrupt") store.settleHere()
      // Text and attachments that were added during the upload belong to the next prompt.
      write(typedAfter(sent, text.value))
      attachments.value = attachments.value.filter((one) => !attached.includes(one))
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isPreparing.value = false
      field.current?.focus()
    }
  }

  // After a new session or a reload nothing is focused. A link that was followed keeps the focus. A layout effect, so that it
  // is focused before the user can act on what is painted.
  useLayoutEffect(() => {
    if (isFocusFree()) field.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    outbox.resume()
    const online = () => outbox.resume()
    addEventListener("online", online)
    return () => removeEventListener("online", online)
  }, [outbox])

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter may also confirm a composition of an input method.
    if (event.isComposing || event.keyCode === 229) return
    if (completion.onKey(event)) return event.preventDefault()
    if (isSendKey(event)) {
      event.preventDefault()
      void send(event.ctrlKey || event.metaKey ? "interrupt" : "queue")
    } else if (event.key === "Escape" && isBusy) {
      event.preventDefault()
      void interrupt.send()
    }
  }
  const isOpen = completion.shown.value.length > 0
  // What was written is left for another session.
  if (isErased && isEmpty) return null

  return (
    <div class="composer-area" {...pasteTarget({ attachments, error })}>
      <OutboxList store={store} outbox={outbox} onEdit={({ prompt }) => restore(prompt)} />
      <QueueList store={store} onTaken={restore} />
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <SuggestionList completion={completion} />
        <label class="visually-hidden" for="prompt">
          Prompt
        </label>
        <textarea
          dir={textDirection(text.value)}
          ref={field}
          id="prompt"
          rows={2}
          title={hasTouchKeyboard() ? undefined : "Enter sends, Shift+Enter starts a new line"}
          placeholder="Message, / for commands, @ for files and agents"
          aria-autocomplete="list"
          aria-controls={isOpen ? SUGGESTIONS : undefined}
          aria-activedescendant={isOpen ? optionId(completion.active.value) : undefined}
          value={text.value}
          onBeforeInput={directLongText}
          onInput={(event) => {
            write(event.currentTarget.value)
            completion.look()
          }}
          onBlur={completion.close}
          onKeyDown={onKeyDown}
        />
        <AttachmentList attachments={attachments} />
        <ErrorText error={interrupt.error.value ?? error.value} />
        <div class="composer-bar">
          <AttachButton attachments={attachments} />
          <SessionSettings store={store} />
          <ContextMeter store={store} />
          <span class="composer-actions">
            {isBusy ? (
              <>
                <button
                  type="button"
                  disabled={interrupt.isSending.value}
                  aria-keyshortcuts="Escape"
                  onClick={() => void interrupt.send()}
                >
                  {interrupt.isSending.value ? "Stopping…" : "Stop"}
                </button>
                {isEmpty ? null : (
                  <button type="button" disabled={isPreparing.value} onClick={() => void send("interrupt")}>
                    Stop and send
                  </button>
                )}
              </>
            ) : null}
            <button class="primary" type="submit" disabled={!canSend}>
              {isPreparing.value ? "Uploading…" : isBusy ? "Send next" : "Send"}
            </button>
          </span>
        </div>
      </form>
    </div>
  )
}
