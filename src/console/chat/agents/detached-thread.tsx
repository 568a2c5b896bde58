// The messages of a subagent that belong to no turn. They are read when the thread is opened, and followed while it is open.
import { useEffect, useMemo } from "preact/hooks"
import { messageOf } from "../../app/server.ts"
import { ErrorText } from "../../kit/error-text.tsx"
import { ChatContext, ChatView, useChat } from "../chat-view.ts"
import { AgentFeed, type ReadLog } from "./agent-feed.ts"
import { Thread } from "./thread.tsx"

interface DetachedThreadProps {
  /** The call that first started the agent. */
  readonly call: string
  readonly log: ReadLog
}

export const DetachedThread = ({ call, log }: DetachedThreadProps) => {
  const { store, Message, isLive } = useChat()
  const feed = useMemo(() => new AgentFeed({ readLog: log, call, asks: store.asks, messageOf }), [log, call, store])
  const view = useMemo(
    () => new ChatView(feed, Message, { isLive, log, isDetached: true }),
    [feed, Message, isLive, log],
  )
  useEffect(() => {
    feed.open()
    return () => feed.close()
  }, [feed])
  const messages = view.threads.value.main
  return (
    <ChatContext.Provider value={view}>
      <ErrorText unread="The messages" error={feed.error.value} onRetry={() => feed.open()} />
      {messages.length > 0 ? (
        <Thread messages={messages} />
      ) : (
        <p class="empty">{feed.isLoading.value ? "Loading…" : "No messages yet."}</p>
      )}
    </ChatContext.Provider>
  )
}
