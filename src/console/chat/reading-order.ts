// Receives the messages of a session in the order in which they were sent; returns them in reading order.
// Invariant: a queued prompt is placed where its turn begins, after the answers to earlier prompts; no other message moves.

export interface ReadingSource {
  readonly ids: ReadonlyArray<string>
  /** The user message that an answer belongs to; undefined for other messages. */
  readonly parentOf: (id: string) => string | undefined
  /** The prompt of the latest turn that has begun. */
  readonly newest: string | null
}

export const inReadingOrder = ({ ids, parentOf, newest }: ReadingSource): ReadonlyArray<string> => {
  const parents = ids.map(parentOf)
  const first = new Map<string, number>()
  for (const [index, parent] of parents.entries())
    if (parent !== undefined && !first.has(parent)) first.set(parent, index)
  const behind = new Map<number, ReadonlyArray<string>>()
  const moved = new Set<string>()
  for (const [index, id] of ids.entries()) {
    const end = first.get(id) ?? (id === newest ? ids.length : -1)
    let last = end - 1
    while (last > index && parents[last] === undefined) last -= 1
    if (last <= index) continue
    behind.set(last, [...(behind.get(last) ?? []), id])
    moved.add(id)
  }
  if (moved.size === 0) return ids
  return ids.flatMap((id, index) => [...(moved.has(id) ? [] : [id]), ...(behind.get(index) ?? [])])
}
