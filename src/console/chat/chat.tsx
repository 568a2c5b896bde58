// The conversation and, below it, what waits for an answer and the composer.
import { useSignal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { Asks } from "../ask/asks.tsx"
import { Composer } from "../compose/composer.tsx"
import { Lazy } from "../kit/lazy.tsx"
import type { SessionStore } from "../store/session-store.ts"
import { Announcer } from "./announcer.tsx"
import { ChatContext, ChatView } from "./chat-view.ts"
import { MessageList } from "./message-list.tsx"
import { MessageRow } from "./message-row.tsx"

export const Chat = ({ store }: { readonly store: SessionStore }) => {
  const reverting = useSignal<string | null>(null)
  const view = useMemo(() => {
    const made = new ChatView(store, MessageRow)
    made.revert = (messageId) => (reverting.value = messageId)
    return made
  }, [store])
  const { value: messageId } = reverting
  return (
    <section class="chat" aria-label="Conversation">
      <ChatContext.Provider value={view}>
        <MessageList />
        <Announcer />
      </ChatContext.Provider>
      <Asks store={store} />
      <Composer store={store} />
      {messageId === null ? null : (
        <Lazy
          key={messageId}
          load={() => import("../time/actions.tsx").then((module) => module.RevertToHere)}
          props={{ store, messageId, onClose: () => (reverting.value = null) }}
        />
      )}
    </section>
  )
}
