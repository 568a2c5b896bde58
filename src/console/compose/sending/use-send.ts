// A hook that sends a session's unsent prompt: uploads its files, and passes the prompt to the outbox.
// Invariant: text and attachments are kept after an error; what is added during the upload belongs to the next prompt.
import type { RefObject } from "preact"
import { messageOf } from "../../app/server.ts"
import type { SessionStore } from "../../store/session-store.ts"
import { typedAfter } from "../drafts.ts"
import type { Outgoing } from "../outbox.ts"
import { outboxOf } from "../outboxes.ts"
import { unsentOf } from "../unsent.ts"
import { preparePrompt } from "../upload.ts"

interface SendPorts {
  readonly field: RefObject<HTMLTextAreaElement | null>
  /** Called when a prompt starts to be sent. */
  readonly onStart: () => void
}

export const useSend = (store: SessionStore, { field, onStart }: SendPorts) => {
  const { text, attachments, error, isPreparing, write } = unsentOf(store.server, store.id)
  const isEmpty = text.value.trim() === "" && attachments.value.length === 0
  const canSend = !isEmpty && !store.isErased.value && !isPreparing.value
  const send = async (on_busy: Outgoing["on_busy"] = "queue") => {
    if (!canSend) return
    isPreparing.value = true
    error.value = null
    onStart()
    const sent = { text: text.value, attachments: attachments.value }
    try {
      const prompt = await preparePrompt(store.server, store, sent.text.trim(), sent.attachments)
      outboxOf(store.server, store.id).add(prompt, on_busy)
      if (on_busy === "interrupt") store.settleHere()
      write(typedAfter(sent.text, text.value))
      attachments.value = attachments.value.filter((attachment) => !sent.attachments.includes(attachment))
    } catch (cause) {
      error.value = messageOf(cause)
    } finally {
      isPreparing.value = false
      field.current?.focus()
    }
  }
  return { isEmpty, canSend, send }
}
