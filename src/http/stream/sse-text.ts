// Receives frames; returns them as the text of a `text/event-stream` that every parser reads the same way.
// Invariants: an empty line comes only behind data, because some parsers take any other for an event without data; no
// character that some line splitter takes for the end of a line is left raw.
import type { Frame } from "../../views/sdk.ts"

/** How long a reader waits before it connects again. It rides in the first frame: alone it would be an empty event. */
export const RETRY_FIELD = "retry: 1000\n"

/** A frame as SSE text. */
export const encodeFrame = ({ id, event, data }: Frame): string =>
  `${id === null ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`

/** A comment: it is part of no event and ends none. `text` is one line. */
export const encodeComment = (text: string): string => `: ${text}\n`

/**
 * Escapes what Unicode, but not SSE, takes for the end of a line (U+0085, U+2028, U+2029): Python's `splitlines`, which
 * `httpx` and `requests` use, would cut the JSON there. In JSON they occur in strings alone, and its other control
 * characters are always escaped. Looking three times costs less than a pattern does: about 30 ns a delta.
 */
export const escapeLineEnds = (text: string): string =>
  text.includes("\u2028") || text.includes("\u2029") || text.includes("\u0085")
    ? text.replace(LINE_ENDS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text

const LINE_ENDS = /[\u0085\u2028\u2029]/g
