// The conversation of the place that is shown; of now it is the live one.
import { useEffect, useRef } from "preact/hooks"
import { Markdown } from "../../chat/markdown/markdown.tsx"
import { toolView } from "../../chat/tools/tool-view.ts"
import type { Conversation } from "../../store/conversation.ts"
import type { Part } from "../../store/frames.ts"
import type { SessionStore } from "../../store/session-store.ts"
import type { Past } from "./past.ts"

interface PastConversationProps {
  readonly store: SessionStore
  readonly past: Past
  readonly isNow: boolean
}

export const PastConversation = ({ store, past, isNow }: PastConversationProps) => {
  const scroller = useRef<HTMLDivElement>(null)
  const conversation = isNow ? store.conversation : past.conversation.value
  const ids = conversation.ids.value
  // What happened last is what a place is about.
  useEffect(() => {
    const { current } = scroller
    if (current !== null) current.scrollTop = current.scrollHeight
  }, [conversation, ids.at(-1)])
  const isWaiting = !isNow && past.isLoading.value
  return (
    <div
      class={isWaiting ? "past-conversation waiting" : "past-conversation"}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={isNow ? "Conversation now" : "Conversation as it was"}
      aria-busy={isWaiting}
    >
      {past.error.value === null || isNow ? null : (
        <p class="error" role="alert">
          {past.error.value}
        </p>
      )}
      {past.cursor.value === null || isNow ? null : (
        <button disabled={isWaiting} onClick={() => void past.showEarlier()}>
          Earlier messages
        </button>
      )}
      {ids.length === 0 && !isWaiting ? <p class="empty">No message yet.</p> : null}
      {ids.map((id) => (
        <PastMessage key={id} conversation={conversation} id={id} />
      ))}
    </div>
  )
}

const PastMessage = ({ conversation, id }: { readonly conversation: Conversation; readonly id: string }) => {
  const message = conversation.message(id)
  if (message === undefined) return null
  const { role } = message.info.value
  return (
    <article class={`message ${role}`} aria-label={role === "user" ? "Prompt" : "Answer"}>
      {message.parts.value.map((part) => {
        const value = conversation.part(part)?.value
        if (value === undefined || value.synthetic === true) return null
        if (value.type === "tool") return <PastCall key={part} part={value} />
        if (value.type === "text" && role === "assistant")
          return <Markdown key={part} text={value.text ?? ""} isComplete />
        return value.text === undefined || value.text === "" ? null : (
          <p key={part} class="past-text">
            {value.text}
          </p>
        )
      })}
    </article>
  )
}

const PastCall = ({ part }: { readonly part: Part }) => {
  const { icon, label, title, statusText } = toolView(part)
  return (
    <p class="hint past-call">
      <span aria-hidden="true">{icon}</span> {label} <code>{title}</code> {statusText}
    </p>
  )
}
