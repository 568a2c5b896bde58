// The diff of two texts, with a few unchanged lines around the changes.
import { useMemo } from "preact/hooks"
import { hunksBetween } from "../../kit/diff-rows.ts"
import { DiffView } from "../../kit/diff-view.tsx"

interface DifferenceProps {
  readonly before: string
  readonly after: string
  readonly path: string
}

export const Difference = ({ before, after, path }: DifferenceProps) => {
  const hunks = useMemo(() => hunksBetween(before, after), [before, after])
  return <DiffView hunks={hunks} name={path} />
}
