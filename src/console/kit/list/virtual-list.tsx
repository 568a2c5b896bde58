// A log that renders only the rows near the visible area, with @tanstack/virtual-core; rows may have any height and change it.
// Invariant: it stays at its end while rows are added or grow, unless the user has scrolled away; then the first visible content
// stays in its place, whatever is added or changes its height above it.
import {
  defaultRangeExtractor,
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
  type VirtualizerOptions,
} from "@tanstack/virtual-core"
import type { ComponentChildren } from "preact"
import { useCallback, useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks"
import { usePrinting } from "../use-printing.ts"
import { useFilledRows } from "./filled-rows.ts"
import { movedBy, placeIn, type ReadingPlace } from "./reading-place.ts"

export interface ListPosition {
  readonly isAtEnd: boolean
  /** Index of the first visible row. */
  readonly first: number
}

export interface ListHandle {
  toEnd(): void
  scrollBy(pixels: number): void
  /** Scrolls the row into view, and calls `then` with its element. */
  toRow(index: number, then?: (row: HTMLElement) => void): void
}

interface VirtualListProps {
  /** One key for each row, in order; the same array while nothing has changed. */
  readonly keys: ReadonlyArray<string>
  readonly row: (key: string, index: number) => ComponentChildren
  /** The height of a row that was not rendered yet, in pixels. */
  readonly estimate: (key: string) => number
  /** False: rows that are appended while the end is visible are not scrolled into view. */
  readonly isFollowing: boolean
  readonly class: string
  readonly label: string
  readonly isBusy: boolean
  /** Index of a row that stays in the page wherever the list is scrolled, because it has the focus. */
  readonly kept: number | null
  readonly onPosition: (position: ListPosition) => void
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onFocusIn: (event: FocusEvent) => void
  readonly handle: { current: ListHandle | null }
}

const END_PX = 48
/** Larger than any estimated height of a row. */
const FAR_PX = 2000
const NO_KEY = ""
/** If more rows than this are added at once, they are filled in later tasks. */
const MAX_APPENDED = 5
/** After this many frames, waiting for the content of a row is given up: far more than `useFilledRows` needs. */
const FRAMES_TO_FILL = 20
type List = Virtualizer<HTMLDivElement, HTMLDivElement>
type ElementRef = { readonly current: HTMLDivElement | null }
/** Null while the list is at its end. */
type PlaceRef = { current: ReadingPlace | null }

export const VirtualList = (props: VirtualListProps) => {
  const { keys, row, label, kept } = props
  const element = useRef<HTMLDivElement>(null)
  const place = useRef<ReadingPlace | null>(null)
  const list = useVirtualizer(props, element, place)
  useHandle(list, props, element)
  useKeepPlace(list, props, element, place)
  usePosition(list, props)
  const isPrinting = usePrinting()
  const rows = list.getVirtualItems()
  const isAtLast = rows.at(-1)?.index === keys.length - 1
  const appendedFrom = useAppendedFrom(keys.length)
  // A row that is appended while the end is visible is filled immediately: its content, such as a queued prompt, may have been
  // elsewhere on the page before, and would disappear for a moment.
  const isUrgent = (index: number) => index === kept || (isAtLast && index >= appendedFrom)
  const filled = useFilledRows(rows, { isUrgent, from: isAtLast ? "end" : "middle" })
  return (
    <div
      ref={element}
      class={`virtual-list ${props.class}`}
      role="log"
      aria-live="off"
      aria-label={label}
      aria-busy={props.isBusy}
      tabIndex={0}
      onKeyDown={props.onKeyDown}
      onFocusIn={props.onFocusIn}
    >
      <div class="virtual-rows" role="presentation" style={{ height: `${list.getTotalSize()}px` }}>
        {(isPrinting ? allRows(keys) : rows).map(({ key, index, start }) => (
          <div
            key={key}
            ref={filled.has(key) && !isPrinting ? list.measureElement : null}
            data-index={index}
            data-kept={index === kept ? "" : undefined}
            class="virtual-row"
            role="presentation"
            style={{ transform: `translateY(${start}px)` }}
          >
            {isPrinting || filled.has(key) ? row(keys[index] ?? NO_KEY, index) : null}
          </div>
        ))}
      </div>
    </div>
  )
}

/** For printing, all rows in normal flow. */
const allRows = (keys: ReadonlyArray<string>) => keys.map((key, index) => ({ key, index, start: 0 }))

/** The index of the first row that was added since the last rendering; `length` when none was, or more than `MAX_APPENDED`. */
const useAppendedFrom = (length: number): number => {
  const before = useRef(0)
  useLayoutEffect(() => {
    before.current = length
  })
  const isFew = before.current > 0 && length - before.current <= MAX_APPENDED
  return isFew ? Math.min(before.current, length) : length
}

const useVirtualizer = (props: VirtualListProps, element: ElementRef, place: PlaceRef): List => {
  const { keys, estimate, isFollowing, kept } = props
  const [, render] = useReducer((count: number) => count + 1, 0)
  const getItemKey = useCallback((index: number) => keys[index] ?? index, [keys])
  const estimateSize = useCallback((index: number) => estimate(keys[index] ?? NO_KEY), [keys, estimate])
  const rangeExtractor = useCallback(
    (range: Range) => withKept(defaultRangeExtractor(range), kept, range.count),
    [kept],
  )
  const options: VirtualizerOptions<HTMLDivElement, HTMLDivElement> = {
    count: keys.length,
    getScrollElement: () => element.current,
    getItemKey,
    estimateSize,
    rangeExtractor,
    overscan: 4,
    // The list is first rendered near its end, which is the visible part.
    initialOffset: () => keys.length * FAR_PX,
    anchorTo: "end",
    followOnAppend: isFollowing,
    scrollEndThreshold: END_PX,
    // The virtualizer itself renders only when other rows become visible.
    observeElementRect: (virtualizer, take) =>
      observeElementRect(virtualizer, (rect) => {
        take(rect)
        render(undefined)
      }),
    observeElementOffset,
    measureElement: sizeOf,
    scrollToFn: elementScroll,
    onChange: () => render(undefined),
  }
  const [list] = useState(() => new Virtualizer(options))
  list.setOptions(options)
  list.shouldAdjustScrollPositionOnItemSizeChange = (item) => isAbove(item, list, place.current)
  useLayoutEffect(() => list._didMount(), [list])
  useLayoutEffect(() => list._willUpdate())
  return list
}

/** Rows are measured by the resize observer before they are painted: measuring each one when it is added would force a layout. */
const sizeOf = (row: HTMLDivElement, entry: ResizeObserverEntry | undefined, list: List): number => {
  if (entry !== undefined) return measureElement(row, entry, list)
  const index = list.indexFromElement(row)
  return list.itemSizeCache.get(list.options.getItemKey(index)) ?? list.options.estimateSize(index)
}

/**
 * Whether the list is scrolled by as much as the size of this row changes: if it is above what is visible, which then stays in its
 * place. Also while the user scrolls up: the rows that appear above may have been measured in another width.
 */
const isAbove = ({ key, index, start, end }: VirtualItem, list: List, place: ReadingPlace | null): boolean => {
  if (place?.row.isConnected === true) return index < list.indexFromElement(place.row)
  return (list.itemSizeCache.has(key) ? end : start + 1) <= (list.scrollOffset ?? 0)
}

const withKept = (indexes: Array<number>, kept: number | null, count: number): Array<number> => {
  if (kept === null || kept >= count || indexes.includes(kept)) return indexes
  return [...indexes, kept].toSorted((a, b) => a - b)
}

const useHandle = (list: List, { handle }: VirtualListProps, element: ElementRef) => {
  const looking = useRef(0)
  useLayoutEffect(() => {
    handle.current = {
      toEnd: () => list.scrollToEnd(),
      scrollBy: (pixels) => element.current?.scrollBy(0, pixels),
      toRow: (index, then) => {
        // Only the last requested row is waited for, so that an earlier one does not take the focus back.
        cancelAnimationFrame(looking.current)
        list.scrollToIndex(index, { align: "auto" })
        if (then === undefined) return
        // One frame after scrolling, the row is in the page; its content is there, too, or a few frames later.
        const look = (frames: number) => {
          looking.current = requestAnimationFrame(() => {
            const found = element.current?.querySelector<HTMLElement>(`:scope > * > [data-index="${index}"]`)
            if (found instanceof HTMLElement && found.childElementCount > 0) then(found)
            else if (frames > 1) look(frames - 1)
          })
        }
        look(FRAMES_TO_FILL)
      },
    }
    return () => {
      cancelAnimationFrame(looking.current)
      handle.current = null
    }
  }, [list, handle])
}

/**
 * Keeps the newest row visible until the list is scrolled up, even if rows turn out higher than estimated; a reader who has
 * scrolled up keeps the first visible content in its place.
 */
const useKeepPlace = (list: List, props: VirtualListProps, element: ElementRef, place: PlaceRef) => {
  const { keys, isFollowing } = props
  const isEmpty = keys.length === 0
  const isAtEnd = useRef(false)
  useLayoutEffect(() => {
    const { current } = element
    if (isEmpty || current === null) return
    isAtEnd.current = true
    list.scrollToEnd()
    let last = current.scrollTop
    const onScroll = () => {
      const { scrollTop } = current
      if (belowOf(current) <= END_PX) isAtEnd.current = true
      else if (scrollTop < last) isAtEnd.current = false
      last = scrollTop
      if (isAtEnd.current) place.current = null
      // Rows that have changed are measured after this event: until then, what has moved keeps its place.
      else if (place.current === null || movedBy(place.current) === 0) place.current = placeIn(current)
    }
    // In the capture phase, before the virtualizer's own listener, whose rendering would scroll to the end again.
    current.addEventListener("scroll", onScroll, { capture: true, passive: true })
    return () => current.removeEventListener("scroll", onScroll, { capture: true })
  }, [list, isEmpty, element])
  // Runs only when a size has changed, because it forces a layout of the page. The virtualizer's own position may be outdated.
  const sizes = `${list.getTotalSize()} ${list.scrollRect?.height}`
  const height = useRef(0)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const lost = height.current - current.clientHeight
    height.current = current.clientHeight
    // When the list becomes less high, as when a line appears below it, the browser would hide its last rows.
    if (isAtEnd.current && lost > 0) current.scrollTop += lost
    if (isAtEnd.current && belowOf(current) > END_PX) {
      if (isFollowing) list.scrollToEnd()
      else isAtEnd.current = false
    }
    if (isAtEnd.current) return
    place.current ??= placeIn(current)
    const moved = place.current === null ? 0 : movedBy(place.current)
    if (place.current === null || moved === 0) return
    current.scrollTop += moved
    list.scrollOffset = current.scrollTop
    place.current = { ...place.current, offset: place.current.offset + moved }
  }, [list, sizes])
}

/** How much of the list is below its visible area. */
const belowOf = ({ scrollHeight, clientHeight, scrollTop }: HTMLElement) => scrollHeight - clientHeight - scrollTop

const usePosition = (list: List, { keys, onPosition }: VirtualListProps) => {
  // Computed from measured sizes, because `isAtEnd` would force a layout at each rendering.
  const isAtEnd = list.getTotalSize() - (list.scrollOffset ?? 0) - (list.scrollRect?.height ?? 0) <= END_PX
  // Undefined until the list has a size.
  const first = list.range?.startIndex
  useEffect(() => {
    if (first !== undefined) onPosition({ isAtEnd, first })
  }, [isAtEnd, first, keys, onPosition])
}
