// The field for prompts. Enter sends (send-key.ts), Shift+Enter starts a new line, Escape interrupts the running turn.
// Invariant: text and attachments stay here until the outbox has accepted them; the outbox keeps them until the server has.
import { newUuid } from "../../client/api/new-uuid.ts"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import type { Prompt } from "../../client/api/session-shapes.ts"
import { isFocusFree } from "../app/keep-focus.ts"
import { ErrorText } from "../kit/error-text.tsx"
import type { SessionStore } from "../store/session-store.ts"
import { AttachButton, AttachmentList, pasteTarget } from "./attachment-list.tsx"
import { attachmentsIn } from "./attachments.ts"
import { ContextMeter } from "./context-meter.tsx"
import { SendButtons } from "./sending/send-buttons.tsx"
import { hasTouchKeyboard, isSendKey } from "./sending/send-key.ts"
import { directLongText, textDirection } from "./sending/text-direction.ts"
import { useInterrupt } from "./sending/use-interrupt.ts"
import { useSend } from "./sending/use-send.ts"
import { OutboxList } from "./outbox-list.tsx"
import { textOfPrompt } from "./outbox.ts"
import { outboxOf } from "./outboxes.ts"
import { QueueList } from "./queue-list.tsx"
import { SessionSettings } from "./session-settings.tsx"
import { optionId, SuggestionList, SUGGESTIONS } from "./suggestion-list.tsx"
import { unsentOf } from "./unsent.ts"
import { useCompletion } from "./use-completion.ts"

export const Composer = ({ store }: { readonly store: SessionStore }) => {
  const outbox = outboxOf(store.server, store.id)
  const { text, attachments, error, write } = unsentOf(store.server, store.id)
  const field = useRef<HTMLTextAreaElement>(null)
  const interrupt = useInterrupt(store, field)
  const completion = useCompletion(store, field, write)
  const sending = useSend(store, {
    field,
    onStart: () => {
      interrupt.error.value = null
      completion.close()
    },
  })
  /** Puts a prompt that was not sent yet back into the field, before the text that is there. */
  const restore = (prompt: Prompt) => {
    attachments.value = [...attachments.value, ...attachmentsIn(prompt, newUuid)]
    const restored = textOfPrompt(prompt)
    const typed = text.value.trim()
    write(typed === "" ? restored : `${restored}\n${typed}`)
    field.current?.focus()
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
      void sending.send(event.ctrlKey || event.metaKey ? "interrupt" : "queue")
    } else if (event.key === "Escape" && store.state.value !== "idle") {
      event.preventDefault()
      void interrupt.send()
    }
  }
  const hasSuggestions = completion.shown.value.length > 0
  // A text that was typed before the session was erased stays visible, so that it can be copied to another session.
  if (store.isErased.value && sending.isEmpty) return null

  return (
    <div class="composer-area" {...pasteTarget({ attachments, error })}>
      <OutboxList store={store} outbox={outbox} onEdit={({ prompt }) => restore(prompt)} />
      <QueueList store={store} onTaken={restore} />
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault()
          void sending.send()
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
          aria-controls={hasSuggestions ? SUGGESTIONS : undefined}
          aria-activedescendant={hasSuggestions ? optionId(completion.active.value) : undefined}
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
          <SendButtons store={store} sending={sending} interrupt={interrupt} />
        </div>
      </form>
    </div>
  )
}
