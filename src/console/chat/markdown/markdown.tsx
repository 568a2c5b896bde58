// Shows a Markdown text that may still grow.
import { useRef } from "preact/hooks"
import { Block } from "./block.tsx"
import { completeDocument, type Document, readDocument } from "./blocks.ts"

interface MarkdownProps {
  readonly text: string
  readonly isComplete: boolean
}

export const Markdown = ({ text, isComplete }: MarkdownProps) => {
  const kept = useRef<Document | null>(null)
  const document = readDocument(text, kept.current)
  kept.current = document
  const { blocks } = isComplete ? completeDocument(document) : document
  const last = blocks.length - 1
  return (
    <div class="markdown">
      {blocks.map((block, index) => (
        <Block key={index} block={block} isComplete={isComplete || index < last} />
      ))}
    </div>
  )
}
