// Receives the blocks of a Markdown text; divides them into sections, and renders each as an element of its own.
// Invariant: while a text only grows, all sections but the last one have the same blocks. A section that is complete and was laid
// out is skipped by the browser while it is far from the visible area: it keeps its height, and costs no layout and no paint.
import type { Token } from "marked"
import { Component, type ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { Block } from "./block.tsx"

/** Characters of a section: about as many as a screen shows. A longer block is a section of its own. */
const SECTION = 4000

export const sectionsOf = (blocks: ReadonlyArray<Token>): ReadonlyArray<ReadonlyArray<Token>> => {
  const sections: Array<Array<Token>> = []
  let length = SECTION
  for (const block of blocks) {
    if (length >= SECTION) {
      sections.push([])
      length = 0
    }
    sections.at(-1)?.push(block)
    length += block.raw.length
  }
  return sections
}

interface BlocksProps {
  readonly blocks: ReadonlyArray<Token>
  /** True when no more text will be appended to them. */
  readonly isComplete: boolean
}

interface SectionProps extends BlocksProps {
  /** Whether the browser skips it while it is far away: it costs less, but its height is not updated when its width changes. */
  readonly isSkipped: boolean
}

export const Section = ({ blocks, isComplete, isSkipped }: SectionProps) => {
  const [isLaidOut, setLaidOut] = useState(false)
  // An effect runs after the frame that has laid out the complete section: from then on, the browser knows its height.
  useEffect(() => setLaidOut(isComplete), [isComplete])
  return (
    <div class={isSkipped && isLaidOut ? "markdown skipped" : "markdown"}>
      <Blocks blocks={blocks} isComplete={isComplete} />
    </div>
  )
}

/** Rendered again only for another block, or when they have become complete. */
class Blocks extends Component<BlocksProps> {
  override shouldComponentUpdate({ blocks, isComplete }: BlocksProps): boolean {
    const { props } = this
    const isSame =
      blocks.length === props.blocks.length && blocks.every((block, index) => block === props.blocks[index])
    return !isSame || isComplete !== props.isComplete
  }

  override render({ blocks, isComplete }: BlocksProps): ComponentChildren {
    const last = blocks.length - 1
    return blocks.map((block, index) => <Block key={index} block={block} isComplete={isComplete || index < last} />)
  }
}
