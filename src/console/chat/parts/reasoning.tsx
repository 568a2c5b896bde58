// The model's thinking: folded, with a badge if it is signed; redacted thinking with an explanation.
import type { MessageInfo, Part } from "../../store/frames.ts"
import { duration } from "../../kit/format.ts"
import { ChatFold } from "../chat-fold.tsx"
import { Markdown } from "../markdown/markdown.tsx"

export const Reasoning = ({ part, info }: { readonly part: Part; readonly info: MessageInfo }) => {
  const { text = "", signature, time } = part
  const isComplete = time?.end !== undefined || info.time.completed !== undefined
  const took = time?.start === undefined || time.end === undefined ? 0 : time.end - time.start
  const head = (
    <>
      <span>{isComplete ? "Thinking" : "Thinking…"}</span>
      {took > 0 ? <span class="soft">{duration(took)}</span> : null}
      {signature === undefined || signature === "" ? null : (
        <span class="badge signed" title="The API signed this text: it accepts it again unchanged in the next request.">
          signed
        </span>
      )}
    </>
  )
  return (
    <ChatFold id={part.id} class="reasoning" head={head}>
      {() => (text === "" ? <p class="soft">{WITHHELD}</p> : <Markdown text={text} isComplete={isComplete} />)}
    </ChatFold>
  )
}

const WITHHELD = "The model's thinking is not shown here: the API gave its signature and no text."

export const RedactedReasoning = ({ part }: { readonly part: Part }) => {
  // The server's projection gives such a part these data.
  const { data } = part as { readonly data?: string }
  return (
    <ChatFold
      id={part.id}
      class="reasoning"
      head={
        <>
          <span>Redacted thinking</span>
          <span class="badge">encrypted</span>
        </>
      }
    >
      {() => (
        <p class="soft">
          The API's safety systems encrypted this part of the model's thinking. Its text can't be read here or by the
          server; it is sent back with the next request, so that the model can continue from it. Nothing is wrong with
          the answer. {data === undefined ? "" : `${data.length.toLocaleString("en")} characters.`}
        </p>
      )}
    </ChatFold>
  )
}
