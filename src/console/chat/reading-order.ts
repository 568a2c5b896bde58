// Receives the messages of a session in the order in which they were sent; returns them in the order in which they are read.
// Invariant: a prompt that waited is placed where its turn begins, behind the answers to those before it; nothing else moves.

export interface ReadingSource {
  readonly ids: ReadonlyArray<string>
  /** Of an answer, the user message that it answers. */
  readonly parentOf: (id: string) => string | undefined
  /** The prompt whose turn began last. */
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
