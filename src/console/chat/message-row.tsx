// One message: its author and time, its parts in order, and how it ended.
import { useId } from "preact/hooks"
import type { MessageInfo } from "../store/frames.ts"
import { duration } from "../kit/format.ts"
import { type MessageProps, useChat } from "./chat-view.ts"
import { clock, messageDuration, messageEnd } from "./message-facts.ts"
import { MessageBoundary } from "./message-boundary.tsx"
import { MessageMenu } from "./message-menu.tsx"
import { ResetMark } from "./parts/notes.tsx"
import { PartView } from "./parts/part-view.tsx"
import { SYNTHETIC_MODEL } from "../../schemas/sdk/messages/synthetic-model.ts"

export const MessageRow = ({ id, hasHead }: MessageProps) => {
  const message = useChat().store.conversation.message(id)
  const heading = useId()
  if (message === undefined) return null
  const info = message.info.value
  const parts = message.parts.value
  return (
    <article
      class={`message ${info.role}${hasHead ? "" : " continued"}`}
      aria-labelledby={heading}
      tabIndex={-1}
      data-message={id}
    >
      <Head info={info} id={heading} isShown={hasHead} />
      <MessageMenu info={info} />
      <MessageBoundary id={id}>
        {parts.map((part) => (
          <PartView key={part} id={part} info={info} />
        ))}
      </MessageBoundary>
      {info.sdk?.conversationReset === true ? <ResetMark /> : null}
      <End info={info} />
    </article>
  )
}

const Head = ({
  info,
  id,
  isShown,
}: {
  readonly info: MessageInfo
  readonly id: string
  readonly isShown: boolean
}) => {
  const took = messageDuration(info)
  const { parentToolUseId, queued } = info.sdk ?? {}
  const isMarked = useChat().waiting === undefined && queued === true
  const who = info.role === "user" ? (parentToolUseId === undefined ? "You" : "Task") : "Assistant"
  return (
    <header class={isShown ? "message-head" : "visually-hidden"}>
      <h2 id={id}>{who}</h2>
      {isMarked ? <span class="badge">queued</span> : null}
      {info.role === "assistant" && info.modelID !== undefined && info.modelID !== SYNTHETIC_MODEL ? (
        <span>{info.modelID}</span>
      ) : null}
      {took === null || info.role === "user" ? null : <span>{duration(took)}</span>}
      <time dateTime={new Date(info.time.created).toISOString()}>{clock(info.time.created)}</time>
    </header>
  )
}

const End = ({ info }: { readonly info: MessageInfo }) => {
  const end = messageEnd(info)
  if (end === null) return null
  if (end.kind === "interrupted") return <p class="note warn">■ {end.text}</p>
  return (
    <p class="message-error">
      <strong>✕ Error:</strong> {end.text} {end.hint}
    </p>
  )
}
