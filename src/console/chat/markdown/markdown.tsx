// Shows a Markdown text that may still grow; of a long one its beginning, and more at each click.
import { useRef, useState } from "preact/hooks"
import { bytes, counted } from "../../kit/format.ts"
import { usePrinting } from "../../kit/use-printing.ts"
import { useLimit } from "../../kit/list/use-limit.ts"
import { MoreButton } from "../../kit/text/more-button.tsx"
import { readBeginning } from "./beginning.ts"
import { type Growing, readGrowing } from "./growing.ts"
import { completeDocument, type Document, withNewlines } from "./blocks.ts"
import { Section, sectionsOf } from "./section.tsx"

interface MarkdownProps {
  readonly text: string
  readonly isComplete: boolean
}

/** Characters that are shown at first: rendering them blocks a slow device for about 0.2 s. */
const BEGINNING = 40_000
const MORE = 100_000
/** Sections that are rendered in one task. Two full of small tables take a fast device about 50 ms. */
const SECTIONS_A_TASK = 2

export const Markdown = ({ text, isComplete }: MarkdownProps) => {
  // A text that was first shown while it was streaming is not cut.
  const [shown, setShown] = useState(isComplete ? BEGINNING : Number.POSITIVE_INFINITY)
  const isPrinting = usePrinting()
  const length = isPrinting ? Number.POSITIVE_INFINITY : shown
  const growing = useRef<Growing | null>(null)
  const kept = useRef<Document | null>(null)
  const read = () => {
    const { current: streamed } = growing
    // A block that was divided while it streamed is parsed as a whole, unless that would block the page.
    const staysDivided = streamed !== null && streamed.start > 0 && text.length > BEGINNING
    if (!isComplete || staysDivided) return (growing.current = readGrowing(text, streamed))
    if (streamed?.start === 0) kept.current ??= streamed.open
    growing.current = null
    kept.current = readBeginning(text, length, kept.current)
    return completeDocument(kept.current, text)
  }
  const isLong = text.length > BEGINNING
  const { blocks } = read()
  const sections = sectionsOf(blocks)
  const last = sections.length - 1
  const limit = useLimit(sections.length, SECTIONS_A_TASK)
  const isCut = kept.current !== null && text.length > length && kept.current.text.length < withNewlines(text).length
  return (
    <>
      <div class="markdown-text" tabIndex={isLong ? -1 : undefined}>
        {sections.slice(0, isPrinting ? sections.length : limit).map((section, index) => (
          <Section key={index} blocks={section} isComplete={isComplete || index < last} isSkipped={isLong} />
        ))}
      </div>
      {isCut ? (
        <MoreButton onMore={() => setShown(length + MORE)}>
          Show more of {bytes(new TextEncoder().encode(text).length)} ({counted(text.split("\n").length, "line")})
        </MoreButton>
      ) : null}
    </>
  )
}
