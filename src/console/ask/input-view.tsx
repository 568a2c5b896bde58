// The input of a call, readable: a command as a block, an edit as what goes and what comes, else each field by its name.
import type { ComponentChildren } from "preact"
import type { Ask } from "../../client/api/session-shapes.ts"
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
        <Block label="Command">{command}</Block>
        <Fields input={rest} />
      </>
    )
  }
  return <Fields input={input} />
}

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
