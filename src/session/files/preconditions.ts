// Receives the conditions and the range of a request, and what the file is now; returns whether to go on, and with which bytes.
// Invariant: a condition that cannot be read never lets a write through; a range that cannot be read is no range.

/** The tag of a content, from its hash: the same tag, the same bytes. */
export const entityTag = (hash: string): string => `"${hash === "" ? "empty" : hash}"`

const bare = (tag: string): string => tag.trim().replace(/^W\//, "")

const names = (header: string, etag: string | null, weak: boolean): boolean => {
  if (etag === null) return false
  if (header.trim() === "*") return true
  return header.split(",").some((tag) => (weak ? bare(tag) : tag.trim()) === etag)
}

/** Any file, or a list of tags. */
const CONDITION = /^(?:\*|(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*)$/

/**
 * `etag` is null where there is no file. `seen` says that a reader has these bytes already, `unreadable` that If-None-Match is
 * no condition: a reader gets the file.
 */
export const preconditionOf = (headers: Headers, etag: string | null): "met" | "seen" | "failed" | "unreadable" => {
  const ifMatch = headers.get("if-match")
  if (ifMatch !== null && !names(ifMatch, etag, false)) return "failed"
  const ifNoneMatch = headers.get("if-none-match")
  if (ifNoneMatch !== null && !CONDITION.test(ifNoneMatch.trim())) return "unreadable"
  return ifNoneMatch !== null && names(ifNoneMatch, etag, true) ? "seen" : "met"
}

/** The bytes from `start` up to `end`, which is not one of them. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The one range that is asked for; null for the whole file, `unsatisfiable` when none of the range's bytes is there. */
export const rangeOf = (headers: Headers, size: number, etag: string): ByteRange | "unsatisfiable" | null => {
  const asked = /^bytes=(\d*)-(\d*)$/.exec(headers.get("range")?.trim() ?? "")
  const ifRange = headers.get("if-range")
  if (asked === null || (ifRange !== null && ifRange.trim() !== etag)) return null
  const [first, last] = [asked[1] ?? "", asked[2] ?? ""]
  if (first === "" && last === "") return null
  if (first === "")
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - Number(last)), end: size }
  if (last !== "" && Number(last) < Number(first)) return null
  if (Number(first) >= size) return "unsatisfiable"
  return { start: Number(first), end: last === "" ? size : Math.min(size, Number(last) + 1) }
}
