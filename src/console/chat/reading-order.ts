// Receives the messages of a session in the order in which they were sent; returns them in reading order.
// Invariant: a queued prompt is placed where its turn begins, after the answers to earlier prompts; no other message moves.

export interface ReadingSource {
  readonly ids: ReadonlyArray<string>
  /** The user message that an answer belongs to; undefined for other messages. */
  readonly parentOf: (id: string) => string | undefined
  /** Whether it is the mark that the loop adds when a turn is interrupted. */
  readonly isInterruptMark: (id: string) => boolean
  /** Whether the answer was cut off by an interrupt. */
  readonly isCutOff: (id: string) => boolean
  /** The prompt of the latest turn that has begun. */
  readonly newest: string | null
}

export const inReadingOrder = (source: ReadingSource): ReadonlyArray<string> => {
  const { ids, parentOf, newest } = source
  const parents = ids.map(parentOf)
  const first = new Map<string, number>()
  for (const [index, parent] of parents.entries())
    if (parent !== undefined && !first.has(parent)) first.set(parent, index)
  const behind = new Map<number, ReadonlyArray<string>>()
  const moved = new Set<string>()
  for (const [index, id] of ids.entries()) {
    const end = first.get(id) ?? (id === newest ? ids.length : -1)
    let last = end - 1
    while (last > index && parents[last] === undefined && !endsAnswer(source, last)) last -= 1
    if (last <= index) continue
    behind.set(last, [...(behind.get(last) ?? []), id])
    moved.add(id)
  }
  if (moved.size === 0) return ids
  return ids.flatMap((id, index) => [...(moved.has(id) ? [] : [id]), ...(behind.get(index) ?? [])])
}

/** Whether the message at this index marks the end of the answer before it; other marks and notes belong to the next turn. */
const endsAnswer = ({ ids, parentOf, isInterruptMark, isCutOff }: ReadingSource, index: number): boolean => {
  if (!isInterruptMark(ids[index] ?? "")) return false
  const before = ids.slice(0, index).findLast((id) => parentOf(id) !== undefined || isInterruptMark(id))
  return before !== undefined && isCutOff(before)
}
