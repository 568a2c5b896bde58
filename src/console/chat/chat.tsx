// The conversation and, below it, the open asks and the composer.
import { useSignal } from "@preact/signals"
import { useEffect, useMemo } from "preact/hooks"
import { Asks } from "../ask/asks.tsx"
import { dropTarget } from "../compose/attachment-list.tsx"
import { Composer } from "../compose/composer.tsx"
import { unsentOf } from "../compose/unsent.ts"
import { lazy } from "../kit/lazy.tsx"
import type { SessionStore } from "../store/session-store.ts"
import { Announcer } from "./announcer.tsx"
import { ChatContext, ChatView, type MessageAction } from "./chat-view.ts"
import { LoadingMessages, MessageList } from "./message-list.tsx"
import { MessageRow } from "./message-row.tsx"
import { Activity } from "./turn/activity.tsx"
import { TurnEnd } from "./turn/turn-end.tsx"

export const Chat = ({ store }: { readonly store: SessionStore }) => {
  const asked = useSignal<{ readonly action: MessageAction; readonly messageId: string } | null>(null)
  const view = useMemo(
    () =>
      new ChatView(store, MessageRow, {
        act: (action, messageId) => (asked.value = { action, messageId }),
        waiting: store.waiting,
        log: (query) => store.server.client.session(store.id).log(query),
      }),
    [store],
  )
  const { value: question } = asked
  const Question = question === null ? null : QUESTIONS[question.action]
  // The messages are rendered in a separate task after the first paint: a single task for everything would block a slow device.
  const isPainted = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => (isPainted.value = true))
    return () => clearTimeout(timer)
  }, [])
  return (
    <section class="chat" aria-label="Conversation" {...dropTarget(unsentOf(store.server, store.id))}>
      <ChatContext.Provider value={view}>
        {isPainted.value ? <MessageList none="No messages yet. Write the first one below." /> : <LoadingMessages />}
        <Announcer store={store} />
      </ChatContext.Provider>
      <Activity store={store} />
      <TurnEnd store={store} />
      <Asks store={store} />
      <Composer store={store} />
      {question === null || Question === null ? null : (
        <Question
          key={question.messageId}
          store={store}
          messageId={question.messageId}
          onClose={() => (asked.value = null)}
        />
      )}
    </section>
  )
}

/** The dialogs that confirm the actions of a message. */
const QUESTIONS = {
  fork: lazy(() => import("../time/actions.tsx").then((module) => module.ForkFromHere)),
  revert: lazy(() => import("../time/actions.tsx").then((module) => module.RevertToHere)),
}
