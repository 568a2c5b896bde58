// The input of a call in readable form: a command as a block, an edit as a diff, otherwise each field by its name.
import type { ComponentChildren } from "preact"
import type { Ask } from "../../client/api/session-shapes.ts"
import { Code } from "../chat/markdown/code-block.tsx"
import { fileChange } from "../chat/tools/file-change.ts"
import { DiffView } from "../kit/diff-view.tsx"
import { visibleText } from "../kit/text/visible-text.ts"
import type { Part } from "../store/frames.ts"
import { fieldsOf, textOf } from "./ask-model.ts"

interface InputProps {
  readonly tool: string
  readonly input: Ask["input"]
}

export const InputView = ({ tool, input }: InputProps) => {
  const command = textOf(input["command"])
  if (tool === "Bash" && command !== undefined) {
    const { command: _, ...rest } = input
    return (
      <>
        <Code code={visibleText(command)} language="bash" isComplete />
        <Fields input={rest} />
      </>
    )
  }
  const change = fileChange(pendingCall(tool, input))
  if (change === null) return <Fields input={input} />
  return (
    <>
      <p class="ask-field">
        <code>{visibleText(change.path)}</code>
      </p>
      <DiffView hunks={change.hunks} name={change.path} hasLines={change.hasLines} />
      {input["replace_all"] === true ? <p class="soft">Everywhere in the file.</p> : null}
    </>
  )
}

/** The part of the call in its state before it runs. */
const pendingCall = (tool: string, input: Ask["input"]): Part => ({
  id: "",
  messageID: "",
  type: "tool",
  tool: tool.toLowerCase(),
  state: { status: "pending", input },
})

const Block = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <figure class="ask-block">
    <figcaption>{label}</figcaption>
    <pre tabIndex={0} aria-label={label}>
      {children}
    </pre>
  </figure>
)

export const Fields = ({ input }: { readonly input: Ask["input"] }) => (
  <>
    {fieldsOf(input).map(({ name, text, isLong }) =>
      isLong ? (
        <Block key={name} label={name}>
          {text}
        </Block>
      ) : (
        <p key={name} class="ask-field">
          <span>{name}</span> <code>{text}</code>
        </p>
      ),
    )}
  </>
)
