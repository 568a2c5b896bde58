// The marks of the scrubber, at which the turns of a session begin in its log, and the steps between places.
// Invariant: a place is the seq of an event, from 1 to the last one; null means "now", which advances with the log.
import { shorten } from "../../kit/text/cut-text.ts"
import { visibleText } from "../../kit/text/visible-text.ts"

/** The beginning of a turn. */
export interface Mark {
  readonly seq: number
  readonly turn: string
  /** The beginning of its prompt. */
  readonly text: string
}

/** An event as in the pages of the log. */
export interface RawEvent {
  readonly seq: number
  readonly name: string
  readonly uuid: string
  readonly turn: string | null
  readonly parent_tool_use_id: string | null
  readonly at: number
  readonly payload: unknown
}

const TEXT = 80

/** The mark of a `turn:queued` event. */
export const markOf = ({ seq, uuid, turn, payload }: RawEvent): Mark => ({
  seq,
  turn: turn ?? uuid,
  text: promptText(payload),
})

const promptText = (payload: unknown): string => {
  const { prompt } = (payload ?? {}) as { readonly prompt?: unknown } // it is checked below
  if (typeof prompt === "string") return shortened(prompt)
  if (!Array.isArray(prompt)) return ""
  const block = prompt.find((one: { readonly type?: unknown } | null) => one?.type === "text")
  return shortened(typeof block?.text === "string" ? block.text : "")
}

const shortened = (text: string): string => visibleText(shorten(text.replaceAll(/\s+/g, " ").trim(), TEXT))

/** The mark of the last turn that began at or before a place. */
export const markAt = (marks: ReadonlyArray<Mark>, place: number): Mark | undefined =>
  marks.findLast(({ seq }) => seq <= place)

export type Step = "event-back" | "event-on" | "turn-back" | "turn-on" | "first" | "last"

/** The place to which a step leads; null for the end of the log. A place after the end counts as the end. */
export const stepped = (step: Step, place: number | null, last: number, marks: ReadonlyArray<Mark>): number | null => {
  const from = Math.min(place ?? last, last)
  const to = target(step, from, last, marks)
  return to >= last ? null : Math.max(1, to)
}

const target = (step: Step, from: number, last: number, marks: ReadonlyArray<Mark>): number => {
  switch (step) {
    case "event-back":
      return from - 1
    case "event-on":
      return from + 1
    case "turn-back":
      return marks.findLast(({ seq }) => seq < from)?.seq ?? 1
    case "turn-on":
      return marks.find(({ seq }) => seq > from)?.seq ?? last
    case "first":
      return 1
    case "last":
      return last
  }
}

/** The step of a key on the scrubber; undefined for other keys. */
export const stepOfKey = (key: string, isShift: boolean): Step | undefined => {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return isShift ? "turn-back" : "event-back"
    case "ArrowRight":
    case "ArrowUp":
      return isShift ? "turn-on" : "event-on"
    case "PageDown":
      return "turn-back"
    case "PageUp":
      return "turn-on"
    case "Home":
      return "first"
    case "End":
      return "last"
    default:
      return undefined
  }
}

const FRAMES = 150

/** How many events a frame of the playback advances: a log of any length plays in about a minute. */
export const strideOf = (last: number): number => Math.max(1, Math.ceil(last / FRAMES))

/** At most `most` of the marks, spread evenly, so that they can be distinguished on the track. */
export const thinned = (marks: ReadonlyArray<Mark>, most: number): ReadonlyArray<Mark> => {
  if (marks.length <= most) return marks
  const every = Math.ceil(marks.length / most)
  return marks.filter((_, index) => index % every === 0)
}
