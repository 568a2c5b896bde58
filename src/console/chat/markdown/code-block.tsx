// Code with its language and a copy button; it is coloured once it is complete and the highlighter is loaded.
// Invariant: code whose layout would block the page is cut: its beginning is shown, and the rest after a click.
import { useEffect, useState } from "preact/hooks"
import { CopyButton } from "../../kit/copy-button.tsx"
import { bytes, counted } from "../../kit/format.ts"
import { MoreButton } from "../../kit/text/more-button.tsx"
import { usePrinting } from "../../kit/use-printing.ts"
import { cutText } from "../../kit/text/cut-text.ts"
import { type CodeNode, highlighted } from "./highlighting.ts"
import { Tokens } from "./tokens.tsx"

interface CodeBlockProps {
  readonly code: string
  /** The info string after the fence. */
  readonly language: string
  readonly isComplete: boolean
}

const LIMITS = { maxLength: 40_000, maxLines: 800 }

export const CodeBlock = ({ code, language, isComplete }: CodeBlockProps) => {
  // Code that was first shown while it was streaming is not cut.
  const [isWhole, setWhole] = useState(!isComplete)
  const isPrinting = usePrinting()
  const cut = isWhole || isPrinting ? null : cutText(code, LIMITS)
  const name = language.trim().split(/[\s,{]/)[0] ?? ""
  return (
    <figure class="code">
      <figcaption>
        <span>{name === "" ? "text" : name}</span>
        <CopyButton text={code} label="Copy the code" />
      </figcaption>
      <Code code={cut?.text ?? code} language={name} isComplete={isComplete} />
      {cut === null || cut.isWhole ? null : (
        <MoreButton onMore={() => setWhole(true)}>
          Show all of {bytes(cut.size ?? 0)} ({counted(cut.lines, "line")})
        </MoreButton>
      )}
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
