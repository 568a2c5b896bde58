// The conversation and, below it, what waits for an answer and the composer.
import { useMemo } from "preact/hooks"
import { Asks } from "../ask/asks.tsx"
import { Composer } from "../compose/composer.tsx"
import type { SessionStore } from "../store/session-store.ts"
import { Announcer } from "./announcer.tsx"
import { ChatContext, ChatView } from "./chat-view.ts"
import { MessageList } from "./message-list.tsx"
import { MessageRow } from "./message-row.tsx"

export const Chat = ({ store }: { readonly store: SessionStore }) => {
  const view = useMemo(() => new ChatView(store, MessageRow), [store])
  return (
    <section class="chat" aria-label="Conversation">
      <ChatContext.Provider value={view}>
        <MessageList />
        <Announcer />
      </ChatContext.Provider>
      <Asks store={store} />
      <Composer store={store} />
    </section>
  )
}
