// The lines that differ between two texts, with a few equal ones around them.
import { structuredPatch } from "diff"

interface DifferenceProps {
  readonly before: string
  readonly after: string
  readonly path: string
}

const KIND: Readonly<Record<string, string>> = { "+": "added", "-": "removed" }

export const Difference = ({ before, after, path }: DifferenceProps) => (
  <pre class="difference" aria-label={`Difference of ${path}`}>
    {structuredPatch(path, path, before, after, "", "", { context: 3 }).hunks.map(({ oldStart, newStart, lines }) => [
      <span class="place">{`@@ ${oldStart} → ${newStart} @@\n`}</span>,
      lines.map((line) => <span class={KIND[line[0] ?? ""]}>{`${line}\n`}</span>),
    ])}
  </pre>
)
