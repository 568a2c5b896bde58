// The page "New session": the prompt first, then the session's options. It creates the session, uploads the files, and opens it.
// Invariant: after an error everything is kept; a second attempt reuses the session of the first one, unless its options changed.
import { useLayoutEffect, useRef } from "preact/hooks"
import { isFocusFree } from "../app/keep-focus.ts"
import { go, place } from "../app/router.ts"
import { messageOf, signedIn } from "../app/server.ts"
import { AttachButton, AttachmentList, dropTarget, pasteTarget } from "./attachment-list.tsx"
import { ModelSelect, ModeSelect } from "./choice-select.tsx"
import { typedAfter } from "./drafts.ts"
import { AgentField } from "./new/agent-field.tsx"
import { Examples } from "./new/examples.tsx"
import type { SessionForm } from "./new/session-form.ts"
import { unsentSessionOf } from "./new/unsent-session.ts"
import { hasTouchKeyboard, isSendKey } from "./sending/send-key.ts"
import { directLongText, textDirection } from "./sending/text-direction.ts"
import { outboxOf } from "./outboxes.ts"
import { unsentOf } from "./unsent.ts"
import { preparePrompt } from "./upload.ts"

const TASK = "Describe the task."
const KEYS = "Enter starts the session, Shift+Enter a new line; files can be dropped here."

export const NewSession = () => {
  const server = signedIn()
  const unsent = unsentSessionOf(server)
  const { form, attachments, error, progress } = unsent
  const field = useRef<HTMLTextAreaElement>(null)
  const { value } = form
  const isEmpty = value.prompt.trim() === "" && attachments.value.length === 0

  const set = (change: Partial<SessionForm>) => unsent.set(change)
  const start = async () => {
    if (isEmpty || progress.value !== null) return
    const body = unsent.request()
    if ("problem" in body) {
      error.value = body.problem
      document.getElementById(body.field)?.focus()
      return
    }
    error.value = null
    const { value: attached } = attachments
    try {
      progress.value = "Making the session…"
      const session = await unsent.make(body.value)
      progress.value = "Uploading…"
      const made = { id: session.id, directory: () => Promise.resolve(session.cwd) }
      const prompt = await preparePrompt(server, made, value.prompt.trim(), attached)
      outboxOf(server, session.id).add(prompt)
      // Text and attachments that were added during the upload belong to the next prompt.
      const next = unsentOf(server, session.id)
      const typed = typedAfter(value.prompt, form.value.prompt)
      if (typed !== "") next.write(typed)
      const added = attachments.value.filter((one) => !attached.includes(one))
      next.attachments.value = [...next.attachments.value, ...added]
      unsent.clear()
      // If another screen was opened in the meantime, it stays open.
      if (place.peek().page === "new") go({ page: "session", id: session.id, screen: "chat" })
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      progress.value = null
    }
  }
  // A layout effect runs before the page is painted, so that no key is lost if the user types as soon as the field appears.
  // Another control that was focused while the page was loading, such as the search, keeps the focus.
  useLayoutEffect(() => {
    if (isFocusFree() || document.activeElement?.matches('a[href="#/"]') === true) field.current?.focus()
  }, [])

  const text = (name: keyof SessionForm, label: string, note: string, inputMode?: "decimal" | "numeric") => (
    <div class="form-field">
      <label for={name}>{label}</label>
      <input
        id={name}
        type="text"
        inputMode={inputMode}
        placeholder={note}
        value={value[name]}
        onInput={(event) => set({ [name]: event.currentTarget.value })}
      />
    </div>
  )

  return (
    <section class="new-session" {...dropTarget(unsent)} {...pasteTarget(unsent)}>
      <h1>New session</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void start()
        }}
      >
        <label for="prompt">What should be done?</label>
        <textarea
          dir={textDirection(value.prompt)}
          ref={field}
          id="prompt"
          rows={4}
          placeholder={hasTouchKeyboard() ? TASK : `${TASK} ${KEYS}`}
          value={value.prompt}
          onBeforeInput={directLongText}
          onInput={(event) => set({ prompt: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (!isSendKey(event)) return
            event.preventDefault()
            void start()
          }}
        />
        <AttachmentList attachments={attachments} />
        <div class="composer-bar">
          <AttachButton attachments={attachments} />
          <ModelSelect value={value.model} none="Default model" onChange={(model) => set({ model })} />
          <ModeSelect value={value.permissionMode} onChange={(permissionMode) => set({ permissionMode })} />
          <span class="grow" />
          <button class="primary" type="submit" disabled={isEmpty || progress.value !== null}>
            {progress.value ?? "Start"}
          </button>
        </div>
        {error.value === null ? null : (
          <p class="error" role="alert">
            {error.value}
          </p>
        )}
        <details open={value.agents !== "" || value.cwd !== "" || value.agent !== ""}>
          <summary>Title, agents, working directory, limits</summary>
          <div class="new-fields">
            {text("title", "Title", "the first line of the prompt")}
            {text("cwd", "Working directory", "/workspace")}
            {text("maxBudgetUsd", "Budget in USD", "no limit", "decimal")}
            {text("maxTurns", "Model requests per turn, at most", "no limit", "numeric")}
            <AgentField value={value.agent} onChange={(agent) => set({ agent })} />
          </div>
          <div class="form-field">
            <label for="agents">Subagents of this session, as JSON</label>
            <textarea
              id="agents"
              class="code"
              rows={3}
              spellcheck={false}
              placeholder='{"reviewer": {"description": "Reviews code", "prompt": "Review what changed."}}'
              value={value.agents}
              onInput={(event) => set({ agents: event.currentTarget.value })}
            />
          </div>
        </details>
      </form>
      <Examples
        onChoose={(prompt) => {
          set({ prompt })
          field.current?.focus()
        }}
      />
    </section>
  )
}
