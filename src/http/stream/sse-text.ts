// Receives frames; returns them as the text of a `text/event-stream` that every parser reads the same way.
// Invariants: an empty line only follows data, because some parsers treat any other as an event without data; every character
// that some line splitter treats as a line end is escaped.
import type { Frame } from "../../views/sdk.ts"

/** How long a reader waits before it reconnects (ms). Part of the first frame, since alone it would be an empty event. */
export const RETRY_FIELD = "retry: 1000\n"

/** Encodes a frame as SSE text. */
export const encodeFrame = ({ id, event, data }: Frame): string =>
  `${id === null ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`

/** Encodes a comment, which is part of no event and ends none. `text` must be one line. */
export const encodeComment = (text: string): string => `: ${text}\n`

/**
 * Escapes characters that are line ends in Unicode but not in SSE (U+0085, U+2028, U+2029): Python's `splitlines`, which
 * `httpx` and `requests` use, would split the JSON there. In JSON they occur only in strings, and its other control characters
 * are always escaped. Three searches cost less than a pattern: about 30 ns per delta.
 */
export const escapeLineEnds = (text: string): string =>
  text.includes("\u2028") || text.includes("\u2029") || text.includes("\u0085")
    ? text.replace(LINE_ENDS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text

const LINE_ENDS = /[\u0085\u2028\u2029]/g
