// The conversation at the place that is shown, rendered like the chat; for "now" it is the live conversation.
import { signal } from "@preact/signals"
import { useMemo } from "preact/hooks"
import type { ChatSource } from "../../chat/chat-source.ts"
import { ChatContext, ChatView } from "../../chat/chat-view.ts"
import { MessageList } from "../../chat/message-list.tsx"
import { MessageRow } from "../../chat/message-row.tsx"
import { ErrorText } from "../../kit/error-text.tsx"
import type { SessionStore } from "../../store/session-store.ts"
import type { Past } from "./past.ts"

interface PastConversationProps {
  readonly store: SessionStore
  readonly past: Past
  readonly isNow: boolean
}

export const PastConversation = ({ store, past, isNow }: PastConversationProps) => {
  const view = useMemo(
    () => new ChatView(isNow ? store : sourceOf(past), MessageRow, { isLive: isNow }),
    [store, past, isNow],
  )
  const isWaiting = !isNow && past.isLoading.value
  return (
    <section
      class={isWaiting ? "past-conversation waiting" : "past-conversation"}
      aria-label={isNow ? "Conversation now" : "Conversation as it was"}
      aria-busy={isWaiting}
    >
      {isNow ? null : <ErrorText unread="This place" error={past.error.value} onRetry={() => past.retry()} />}
      <ChatContext.Provider value={view}>
        <MessageList key={isNow ? "now" : "past"} none="No messages yet." />
      </ChatContext.Provider>
    </section>
  )
}

/** A chat source with the messages of the current place, also when the place changes. */
const sourceOf = (past: Past): ChatSource => ({
  get conversation() {
    return past.conversation.value
  },
  isLoading: past.isLoading,
  olderCursor: past.cursor,
  error: past.error,
  asks: signal([]),
  isAtEnd: true,
  loadOlder: () => past.showEarlier(),
})
