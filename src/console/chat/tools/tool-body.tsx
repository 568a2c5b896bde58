// The body of a tool call's card: the input, also while it streams, and the outcome, in a form that suits the tool.
import { DiffView } from "../../kit/diff-view.tsx"
import { LongText } from "../../kit/long-text.tsx"
import { visibleText } from "../../kit/text/visible-text.ts"
import type { Part } from "../../store/frames.ts"
import { Code } from "../markdown/code-block.tsx"
import { Attachment } from "../parts/attachment.tsx"
import { fileChange } from "./file-change.ts"
import { Subagent } from "../agents/subagent.tsx"
import { TodoItems } from "./todo-items.tsx"
import { isSettled, outcomeOf, shownInput } from "./tool-outcome.ts"
import { printedOutput } from "./tool-view.ts"

export const ToolBody = ({ part }: { readonly part: Part }) => {
  const { state } = part
  if (state === undefined) return null
  if (state.status === "pending" && Object.keys(state.input ?? {}).length === 0)
    return <LongText text={state.raw ?? ""} label="The input as it comes" end />
  return (
    <>
      <Input part={part} />
      {isSettled(part) ? <Outcome part={part} /> : <Printed part={part} />}
    </>
  )
}

const Input = ({ part }: { readonly part: Part }) => {
  const input = part.state?.input ?? {}
  const change = fileChange(part)
  if (change !== null) return <DiffView hunks={change.hunks} name={change.path} hasLines={change.hasLines} />
  if (part.tool === "task") return <Subagent part={part} />
  if (part.tool === "todowrite") return <TodoItems todos={input["todos"]} />
  if (part.tool === "bash" && typeof input["command"] === "string")
    return <Code code={visibleText(input["command"])} language="bash" isComplete />
  const shown = shownInput(part)
  return shown === "" ? null : <LongText text={shown} label="Input" />
}

/** The output so far of a running call. */
const Printed = ({ part }: { readonly part: Part }) => {
  const output = printedOutput(part)
  if (output === "") return null
  const isCut = part.state?.metadata?.["truncated"] === true
  return <LongText text={isCut ? `…${output}` : output} label="Output so far" end />
}

const Outcome = ({ part }: { readonly part: Part }) => {
  const { state } = part
  const outcome = outcomeOf(part)
  return (
    <>
      {outcome.error === "" ? null : (
        <div class="tool-error">
          <LongText text={outcome.error} label="Error" />
        </div>
      )}
      {outcome.output === "" ? null : <LongText text={outcome.output} label="Output" />}
      {outcome.links.length === 0 ? null : (
        <ul class="files">
          {outcome.links.map(({ url, title }) => (
            <li key={url}>
              <a href={url} rel="noopener noreferrer" target="_blank">
                {title}
              </a>
            </li>
          ))}
        </ul>
      )}
      {(state?.attachments ?? []).map((file, index) => (
        <Attachment key={index} part={file} />
      ))}
      {outcome.notes.map((note) => (
        <p key={note} class="soft">
          {note}
        </p>
      ))}
    </>
  )
}
