// Announces an answer to screen readers when it has ended, not while it streams.
import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { SessionStore } from "../store/session-store.ts"
import { useChat } from "./chat-view.ts"
import { spokenAnswer } from "./spoken-answer.ts"

export const Announcer = ({ store }: { readonly store: SessionStore }) => {
  const { threads } = useChat()
  const spoken = useSignal("")
  const before = useRef(store.state.value)
  const state = store.state.value
  useEffect(() => {
    const was = before.current
    before.current = state
    if (was === state) return
    if (state === "running") spoken.value = "Working…"
    else if (state === "requires_action") spoken.value = "An answer of yours is needed."
    else if (!store.isLoading.peek()) {
      const id = threads.peek().main.at(-1) ?? ""
      const message = store.conversation.message(id)
      const parts = message?.parts.peek().flatMap((part) => store.conversation.part(part)?.peek() ?? []) ?? []
      spoken.value = message === undefined ? "" : spokenAnswer(message.info.peek(), parts)
    }
  }, [state])
  return (
    <p class="visually-hidden" role="status" aria-live="polite">
      {spoken.value}
    </p>
  )
}
