// Text: an answer as Markdown, a prompt as it was typed, text that the loop added in a fold, and its mark of an interrupt as a note.
import type { MessageInfo, Part } from "../../store/frames.ts"
import { LongText } from "../../kit/long-text.tsx"
import { ChatFold } from "../chat-fold.tsx"
import { type ChatView, useChat } from "../chat-view.ts"
import { INTERRUPTED, isCutOff, isInterruptMark } from "../message-facts.ts"
import { Markdown } from "../markdown/markdown.tsx"

interface TextPartProps {
  readonly part: Part
  readonly info: MessageInfo
}

export const TextPart = ({ part, info }: TextPartProps) => {
  const chat = useChat()
  const { text = "", synthetic } = part
  if (text === "") return null
  // The end of the message shows the error.
  if (info.error !== undefined && info.error.data?.message === text) return null
  if (isInterruptMark(part) && !isShownAbove(chat, info)) return <p class="note warn">■ {INTERRUPTED}</p>
  // A subagent's task, which the calling model wrote, is shown as its prompt.
  if (synthetic === true && info.sdk?.parentToolUseId === undefined)
    return (
      <ChatFold id={part.id} class="note" head={<span>Added for the model: {firstLine(text)}</span>}>
        {() => <LongText text={text} label="What was added for the model" />}
      </ChatFold>
    )
  if (info.role === "user") return <LongText text={text} label="Prompt" />
  return <Markdown text={text} isComplete={part.time?.end !== undefined || info.time.completed !== undefined} />
}

/** Whether the message before this one shows that the turn was interrupted: the answer that was cut off does. */
const isShownAbove = ({ store, threads }: ChatView, { id, sdk }: MessageInfo): boolean => {
  const { main, children } = threads.value
  const ids = children.get(sdk?.parentToolUseId ?? "") ?? main
  return isCutOff(store.conversation.message(ids[ids.indexOf(id) - 1] ?? "")?.info.value)
}

/** The description of what has happened to a background task, in the prompt that reports it to the model. */
const TASK_SUMMARY = /^<task-notification>\n[^]*?<summary>(.+?)<\/summary>/

const firstLine = (text: string): string => {
  const line = TASK_SUMMARY.exec(text)?.[1] ?? text.trim().split("\n")[0] ?? ""
  return line.length > 80 ? `${line.slice(0, 80)} …` : line
}
