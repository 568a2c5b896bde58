// The messages of the conversation, the newest at the bottom.
import type { SessionStore } from "../store/session-store.ts"

export const MessageList = ({ store }: { readonly store: SessionStore }) => (
  <div class="messages" role="log" aria-label="Messages" aria-busy={store.isLoading.value}>
    {store.conversation.ids.value.map((id) => (
      <MessageView key={id} store={store} id={id} />
    ))}
  </div>
)

const MessageView = ({ store, id }: { readonly store: SessionStore; readonly id: string }) => {
  const message = store.conversation.message(id)
  if (message === undefined) return null
  return (
    <article class={`message ${message.info.value.role}`}>
      {message.parts.value.map((part) => (
        <p key={part}>{store.conversation.part(part)?.value.text}</p>
      ))}
    </article>
  )
}
