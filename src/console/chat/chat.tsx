// The conversation and, below it, what waits for an answer and the composer.
import { Asks } from "../ask/asks.tsx"
import { Composer } from "../compose/composer.tsx"
import type { SessionStore } from "../store/session-store.ts"
import { MessageList } from "./message-list.tsx"

export const Chat = ({ store }: { readonly store: SessionStore }) => (
  <section class="chat" aria-label="Conversation">
    <MessageList store={store} />
    <Asks store={store} />
    <Composer store={store} />
  </section>
)
