// A subagent below the call that began it: its task, its messages, its report. Its own subagents nest in the same way.
import { useSignal } from "@preact/signals"
import { count } from "../../kit/format.ts"
import { LongText } from "../../kit/long-text.tsx"
import type { Part } from "../../store/frames.ts"
import { ChatFold } from "../chat-fold.tsx"
import { useChat } from "../chat-view.ts"
import { Markdown } from "../markdown/markdown.tsx"
import { subagentView } from "./subagent-view.ts"

export const Subagent = ({ part }: { readonly part: Part }) => {
  const view = subagentView(part)
  const messages = useChat().threads.value.children.get(part.callID ?? "") ?? []
  return (
    <div class="subagent">
      <p class="facts">
        <span class="badge">{view.agent}</span>
        {view.model === "" ? null : <span>{view.model}</span>}
        {view.isBackground ? (
          <span>runs in the background{view.agentId === "" ? "" : ` as ${view.agentId}`}</span>
        ) : null}
        {view.facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      {messages.length === 0 ? (
        <LongText text={view.prompt} label="Task" />
      ) : (
        <ChatFold id={`${part.id}:messages`} head={<span>{messages.length} messages of the subagent</span>}>
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

const SHOWN = 20

const Thread = ({ messages }: { readonly messages: ReadonlyArray<string> }) => {
  const { Message } = useChat()
  const shown = useSignal(SHOWN)
  const hidden = Math.max(0, messages.length - shown.value)
  return (
    <div class="thread">
      {hidden > 0 ? (
        <button type="button" class="quiet" onClick={() => (shown.value += SHOWN)}>
          Show earlier messages ({count(hidden)})
        </button>
      ) : null}
      {messages.slice(hidden).map((id) => (
        <Message key={id} id={id} hasHead />
      ))}
    </div>
  )
}
