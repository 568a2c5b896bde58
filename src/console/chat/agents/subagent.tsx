// A subagent, shown below the call that started it: its task, its messages, its report. Its own subagents nest in the same way.
import { counted } from "../../kit/format.ts"
import { LongText } from "../../kit/long-text.tsx"
import type { Part } from "../../store/frames.ts"
import { ChatFold } from "../chat-fold.tsx"
import { useChat } from "../chat-view.ts"
import { Markdown } from "../markdown/markdown.tsx"
import { DetachedThread } from "./detached-thread.tsx"
import { subagentView } from "./subagent-view.ts"
import { Thread } from "./thread.tsx"

export const Subagent = ({ part }: { readonly part: Part }) => {
  const view = subagentView(part)
  const { threads, log, isDetached } = useChat()
  const messages = threads.value.children.get(part.callID ?? "") ?? []
  const { callID } = part
  return (
    <div class="subagent">
      <p class="facts">
        <span class="badge">{view.agent}</span>
        {view.model === "" ? null : <span>{view.model}</span>}
        {view.isBackground ? <span>in the background{view.agentId === "" ? "" : ` as ${view.agentId}`}</span> : null}
        {view.facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {log !== undefined && callID !== undefined && (view.isBackground || isDetached) ? (
        <ChatFold id={`${part.id}:messages`} head={<span>Messages of the subagent</span>}>
          {() => <DetachedThread call={callID} log={log} />}
        </ChatFold>
      ) : messages.length === 0 ? (
        <LongText text={view.prompt} label="Task" />
      ) : (
        <ChatFold id={`${part.id}:messages`} head={<span>{counted(messages.length, "message")} of the subagent</span>}>
          {() => <Thread messages={messages} />}
        </ChatFold>
      )}
      {view.report === "" ? null : (
        <div class="report">
          <Markdown text={view.report} isComplete />
        </div>
      )}
    </div>
  )
}
