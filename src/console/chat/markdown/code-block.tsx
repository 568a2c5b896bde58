// Code with its language and a copy button; it is coloured once it is complete and the highlighter is loaded.
import { useEffect, useState } from "preact/hooks"
import { CopyButton } from "../../kit/copy-button.tsx"
import { type CodeNode, highlighted } from "./highlighting.ts"
import { Tokens } from "./tokens.tsx"

interface CodeBlockProps {
  readonly code: string
  /** The info string after the fence. */
  readonly language: string
  readonly isComplete: boolean
}

export const CodeBlock = ({ code, language, isComplete }: CodeBlockProps) => {
  const name = language.trim().split(/[\s,{]/)[0] ?? ""
  return (
    <figure class="code">
      <figcaption>
        <span>{name === "" ? "text" : name}</span>
        <CopyButton text={code} label="Copy the code" />
      </figcaption>
      <Code code={code} language={name} isComplete={isComplete} />
    </figure>
  )
}

export const Code = ({ code, language, isComplete }: CodeBlockProps) => {
  const [nodes, setNodes] = useState<ReadonlyArray<CodeNode> | null>(null)
  useEffect(() => {
    setNodes(null)
    if (!isComplete || language === "") return
    let isCurrent = true
    void highlighted(code, language).then((found) => isCurrent && found !== null && setNodes(found))
    return () => {
      isCurrent = false
    }
  }, [code, language, isComplete])
  return (
    <pre tabIndex={0}>
      <code>{nodes === null ? code : <Tokens nodes={nodes} />}</code>
    </pre>
  )
}
