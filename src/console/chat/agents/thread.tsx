// Shows the newest messages of a subagent, and earlier ones when a button is pressed.
import { useSignal } from "@preact/signals"
import { count } from "../../kit/format.ts"
import { useChat } from "../chat-view.ts"

const SHOWN = 20

export const Thread = ({ messages }: { readonly messages: ReadonlyArray<string> }) => {
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
