// A tool call: its state, subject and duration; inside, its input and its outcome.
import { counted, duration } from "../../kit/format.ts"
import { DiffCounts } from "../../kit/diff-view.tsx"
import type { Part } from "../../store/frames.ts"
import { ChatFold } from "../chat-fold.tsx"
import { useChat } from "../chat-view.ts"
import { attachmentView } from "../parts/attachment-view.ts"
import { Elapsed } from "./elapsed.tsx"
import { countedHunks } from "./file-change.ts"
import { ToolBody } from "./tool-body.tsx"
import { callDuration, printedLine, toolView } from "./tool-view.ts"

/** Tools whose cards are initially open, because their changes are what people look for. Those with an image are, too. */
const OPEN: ReadonlySet<string> = new Set(["edit", "write", "notebookedit", "todowrite"])

export const ToolCard = ({ part }: { readonly part: Part }) => {
  const took = callDuration(part)
  const hunks = countedHunks(part)
  const { store, threads } = useChat()
  const view = toolView(part, store.conversation.taskEnds.value.get(part.callID ?? ""))
  const isWaiting = store.asks.value.some(({ tool_use_id: call }) => call === part.callID)
  const messages = threads.value.children.get(part.callID ?? "")?.length ?? 0
  const printed = printedLine(part)
  const head = (
    <>
      <span class="tool-icon" aria-hidden="true">
        {isWaiting ? "?" : view.icon}
      </span>
      <span class="tool-name">{view.label}</span>
      <span class="tool-title">{view.title}</span>
      {hunks === null ? null : <DiffCounts hunks={hunks} />}
      {messages === 0 ? null : <span class="badge">{counted(messages, "message")}</span>}
      <span class="tool-status">{isWaiting ? "waiting for you" : view.statusText}</span>
      {isWaiting ? null : took === null ? (
        <Elapsed part={part} />
      ) : took > 0 && view.status !== "background" ? (
        <span class="tool-time">{duration(took)}</span>
      ) : null}
      {printed === "" ? null : <span class="tool-printed">{printed}</span>}
    </>
  )
  const hasImage = part.state?.attachments?.some((file) => attachmentView(file).kind === "image") === true
  const isOpenAtFirst = OPEN.has(part.tool ?? "") || view.status === "error" || view.status === "denied" || hasImage
  return (
    <ChatFold
      id={part.id}
      class={`tool ${isWaiting ? "waiting" : view.status}`}
      head={head}
      isOpenAtFirst={isOpenAtFirst}
    >
      {() => <ToolBody part={part} />}
    </ChatFold>
  )
}
