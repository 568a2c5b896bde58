// Prompts that the server has not accepted yet: they are being sent, are waiting for the network, or were rejected.
// Invariant: a prompt that the stream has already reported is not listed, even if the response to it is late or lost.
import type { SessionStore } from "../store/session-store.ts"
import { useLeaveFocus } from "./sending/leave-focus.ts"
import { attachmentsOf, type Outbox, type Outgoing, textOfPrompt } from "./outbox.ts"

interface ListProps {
  readonly store: SessionStore
  readonly outbox: Outbox
  /** Puts a prompt back into the composer. */
  readonly onEdit: (taken: Outgoing) => void
}

const STATE: Readonly<Record<Outgoing["state"], string>> = {
  waiting: "not sent yet",
  sending: "sending…",
  refused: "not accepted",
}

interface ButtonsProps {
  readonly onSend: () => void
  readonly onEdit: () => void
  readonly onDiscard: () => void
}

/** They are removed when the prompt is sent, by a click or by itself, and when it is discarded. */
const OutboxButtons = ({ onSend, onEdit, onDiscard }: ButtonsProps) => {
  useLeaveFocus()
  return (
    <>
      <button onClick={onSend}>Send again</button>
      <button onClick={onEdit}>Edit</button>
      <button onClick={onDiscard}>Discard</button>
    </>
  )
}

export const OutboxList = ({ store, outbox, onEdit }: ListProps) => {
  const { conversation } = store
  const isReported = (uuid: string) => conversation.hasPrompt(uuid) || conversation.wasRemoved(uuid)
  const entries = outbox.entries.value.filter(({ uuid }) => !isReported(uuid))
  if (entries.length === 0) return null
  const edit = (uuid: string) => {
    const taken = outbox.take(uuid)
    if (taken !== null) onEdit(taken)
  }
  return (
    <section class="queue" aria-label="Prompts that are not accepted yet" aria-live="polite">
      {outbox.isKept.value ? null : (
        <p class="soft">These prompts are too large to survive a reload. Leave the page open until they are sent.</p>
      )}
      <ul>
        {entries.map(({ uuid, prompt, state, error }) => (
          <li key={uuid}>
            <span class="badge">{STATE[state]}</span>
            <span class="queue-text">{textOfPrompt(prompt)}</span>
            {attachmentsOf(prompt) === 0 ? null : <span class="soft">{attachmentsOf(prompt)} attached</span>}
            {state === "sending" ? null : (
              <OutboxButtons
                onSend={() => outbox.retry(uuid)}
                onEdit={() => edit(uuid)}
                onDiscard={() => outbox.take(uuid)}
              />
            )}
            {error === null ? null : <span class="error">{error}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
