// Receives the bytes of a text file; returns some of its lines, and how many it has.
// Invariant: only "\n" ends a line, and after a final newline there is a last, empty line.

const NEWLINE = 10

/** The bytes of `limit` lines from line `first` (counted from 1), and how many lines there are in all. */
export const cutLines = (
  bytes: Uint8Array,
  first: number,
  limit: number,
): { readonly part: Uint8Array; readonly total: number } => {
  let line = 1
  let begin = first === 1 ? 0 : -1
  let end = -1
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) {
    line += 1
    if (line === first) begin = at + 1
    if (begin !== -1 && end === -1 && line === first + limit) end = at
  }
  return {
    part: begin === -1 ? bytes.subarray(0, 0) : bytes.subarray(begin, end === -1 ? undefined : end),
    total: line,
  }
}
