// The place of a reader who has scrolled a list up: the first visible content. It can be kept while rows above it, or what is
// above it in its own row, change their heights.
// Invariant: a place depends on no scroll position, so it is valid however the list was scrolled since it was read.

export interface ReadingPlace {
  readonly row: HTMLDivElement
  readonly content: Element
  /** The distance of the content from the beginning of its row. */
  readonly offset: number
}

/** The place in what is visible of a list; null while no row is rendered there. */
export const placeIn = (list: HTMLElement): ReadingPlace | null => {
  const { top, bottom } = list.getBoundingClientRect()
  const rows = [...list.querySelectorAll<HTMLDivElement>(":scope > * > .virtual-row")]
  let place: ReadingPlace | null = null
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1]
    // A row that was filled and is not measured yet overlaps the next one.
    const end = next === undefined ? bottom : Math.min(bottom, topOf(next))
    if (end <= top) continue
    const content = topOf(row) >= top ? row : firstVisible(row, top, end)
    if (topOf(content) >= bottom) break
    if (place === null || topOf(content) >= top) place = { row, content, offset: offsetOf(content, row) }
    if (topOf(content) >= top) break
  }
  return place
}

/** By how many pixels the content has moved in its row since the place was read; 0 if it was removed. */
export const movedBy = ({ row, content, offset }: ReadingPlace): number =>
  content.isConnected ? Math.round(offsetOf(content, row) - offset) : 0

const offsetOf = (content: Element, row: Element): number => topOf(content) - topOf(row)

const topOf = (element: Element): number => element.getBoundingClientRect().top

/** The first element inside `parent` that begins between `top` and `end`; if there is none, the innermost one that is visible. */
const firstVisible = (parent: Element, top: number, end: number): Element => {
  let found = parent
  for (const child of parent.children) {
    const box = child.getBoundingClientRect()
    if (box.height === 0 || box.bottom <= top) continue
    if (box.top >= end) break
    found = box.top >= top ? child : firstVisible(child, top, end)
    if (topOf(found) >= top) break
  }
  return found
}
