// Receives the messages of a session in the order in which they were sent; returns them in reading order.
// Invariant: a queued prompt is placed where its turn begins, after the answers to earlier prompts and the marks of their
// interrupts; no other message moves.

export interface ReadingSource {
  readonly ids: ReadonlyArray<string>
  /** The user message that an answer belongs to; undefined for other messages. */
  readonly parentOf: (id: string) => string | undefined
  /** Whether a turn has begun with this prompt. */
  readonly hasTurn: (id: string) => boolean
  /** Whether it is the mark that the loop adds when a turn is interrupted. */
  readonly isInterruptMark: (id: string) => boolean
  /** Whether the turn of the answer went on after it: an interrupt cut it off, or it has called tools. */
  readonly isUnfinished: (id: string) => boolean
  /** The prompt of the latest turn that has begun. */
  readonly newest: string | null
}

export const inReadingOrder = (source: ReadingSource): ReadonlyArray<string> => {
  const { ids, newest } = source
  const parents = parentsOf(source)
  const first = new Map<string, number>()
  for (const [index, parent] of parents.entries())
    if (parent !== undefined && !first.has(parent)) first.set(parent, index)
  const behind = new Map<number, ReadonlyArray<string>>()
  const moved = new Set<string>()
  for (const [index, id] of ids.entries()) {
    const end = first.get(id) ?? (id === newest ? ids.length : -1)
    let last = end - 1
    // A note that follows an answer belongs to the next turn.
    while (last > index && parents[last] === undefined) last -= 1
    if (last <= index) continue
    behind.set(last, [...(behind.get(last) ?? []), id])
    moved.add(id)
  }
  if (moved.size === 0) return ids
  return ids.flatMap((id, index) => [...(moved.has(id) ? [] : [id]), ...(behind.get(index) ?? [])])
}

/** The parent of a mark whose prompt is not loaded. */
const NOT_LOADED = ""

/** The prompt that each message belongs to; undefined for prompts and notes. */
const parentsOf = ({ ids, parentOf, hasTurn, isInterruptMark, isUnfinished }: ReadingSource) => {
  const answered = ids.map(parentOf)
  const known = new Set(answered)
  let before: { readonly parent: string; readonly isUnfinished: boolean } | undefined
  return ids.map((id, index) => {
    const parent = answered[index]
    if (parent !== undefined) before = { parent, isUnfinished: isUnfinished(id) }
    if (parent !== undefined || !isInterruptMark(id)) return parent
    // Without an unfinished answer, the turn was interrupted before its first answer.
    const stopped = before?.isUnfinished === true ? before.parent : unanswered(ids.slice(0, index), known, hasTurn)
    before = { parent: stopped, isUnfinished: false }
    known.add(stopped)
    return stopped
  })
}

const unanswered = (
  ids: ReadonlyArray<string>,
  answered: ReadonlySet<string | undefined>,
  hasTurn: ReadingSource["hasTurn"],
): string => ids.find((id) => hasTurn(id) && !answered.has(id)) ?? NOT_LOADED
