// The page "New session": the prompt first, then the session's options. It creates the session, uploads the files, and opens it.
// Invariant: after an error everything is kept; a second attempt reuses the session of the first one, unless its options changed.
import { useLayoutEffect, useRef } from "preact/hooks"
import { isFocusFree } from "../app/keep-focus.ts"
import { signedIn } from "../app/server.ts"
import { AttachButton, AttachmentList, dropTarget, pasteTarget } from "./attachment-list.tsx"
import { ModelSelect, ModeSelect } from "./choice-select.tsx"
import { Examples } from "./new/examples.tsx"
import { MoreFields } from "./new/more-fields.tsx"
import type { SessionForm } from "./new/session-form.ts"
import { startSession } from "./new/start-session.ts"
import { unsentSessionOf } from "./new/unsent-session.ts"
import { hasTouchKeyboard, isSendKey } from "./sending/send-key.ts"
import { directLongText, textDirection } from "./sending/text-direction.ts"

const TASK = "Describe the task."
const KEYS = "Enter starts the session, Shift+Enter a new line; files can be dropped here."

export const NewSession = () => {
  const server = signedIn()
  const unsent = unsentSessionOf(server)
  const { attachments, error, progress } = unsent
  const form = unsent.form.value
  const promptField = useRef<HTMLTextAreaElement>(null)
  const set = (change: Partial<SessionForm>) => unsent.set(change)
  const start = (event: Event) => {
    event.preventDefault()
    void startSession(server, unsent)
  }
  // A layout effect runs before the page is painted, so that no key is lost if the user types as soon as the field appears.
  // Another control that was focused while the page was loading, such as the search, keeps the focus.
  useLayoutEffect(() => {
    if (isFocusFree() || document.activeElement?.matches('a[href="#/"]') === true) promptField.current?.focus()
  }, [])
  return (
    <section class="new-session" {...dropTarget(unsent)} {...pasteTarget(unsent)}>
      <h1>New session</h1>
      <form onSubmit={start}>
        <label for="prompt">What should be done?</label>
        <textarea
          dir={textDirection(form.prompt)}
          ref={promptField}
          id="prompt"
          rows={4}
          placeholder={hasTouchKeyboard() ? TASK : `${TASK} ${KEYS}`}
          value={form.prompt}
          onBeforeInput={directLongText}
          onInput={(event) => set({ prompt: event.currentTarget.value })}
          onKeyDown={(event) => isSendKey(event) && start(event)}
        />
        <AttachmentList attachments={attachments} />
        <div class="composer-bar">
          <AttachButton attachments={attachments} />
          <ModelSelect value={form.model} none="Default model" onChange={(model) => set({ model })} />
          <ModeSelect value={form.permissionMode} onChange={(permissionMode) => set({ permissionMode })} />
          <span class="grow" />
          <button class="primary" type="submit" disabled={unsent.isEmpty() || progress.value !== null}>
            {progress.value ?? "Start"}
          </button>
        </div>
        {error.value === null ? null : (
          <p class="error" role="alert">
            {error.value}
          </p>
        )}
        <MoreFields form={form} onChange={set} />
      </form>
      <Examples
        onChoose={(prompt) => {
          set({ prompt })
          promptField.current?.focus()
        }}
      />
    </section>
  )
}
