// Receives the conditions and the range of a request, and the file's tag and size; returns whether the request may proceed,
// and for which bytes.
// Invariant: a malformed condition never allows a write; a malformed range is ignored.

/** The entity tag of a content, from its hash: equal tags mean equal bytes. */
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
 * `etag` is null where there is no file. `seen` means that a reader has these bytes already, `unreadable` that If-None-Match
 * is malformed: a reader gets the file, a write is refused.
 */
export const preconditionOf = (headers: Headers, etag: string | null): "met" | "seen" | "failed" | "unreadable" => {
  const ifMatch = headers.get("if-match")
  if (ifMatch !== null && !names(ifMatch, etag, false)) return "failed"
  const ifNoneMatch = headers.get("if-none-match")
  if (ifNoneMatch !== null && !CONDITION.test(ifNoneMatch.trim())) return "unreadable"
  return ifNoneMatch !== null && names(ifNoneMatch, etag, true) ? "seen" : "met"
}

/** The bytes from `start` to `end`, exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The requested range, if it is a single one; null for the whole file, `unsatisfiable` when the file has none of its bytes. */
export const rangeOf = (headers: Headers, size: number, etag: string): ByteRange | "unsatisfiable" | null => {
  const range = /^bytes=(\d*)-(\d*)$/i.exec(headers.get("range")?.trim() ?? "")
  const ifRange = headers.get("if-range")
  if (range === null || (ifRange !== null && ifRange.trim() !== etag)) return null
  const [first, last] = [range[1] ?? "", range[2] ?? ""]
  if (first === "" && last === "") return null
  if (first === "")
    return Number(last) === 0 || size === 0 ? "unsatisfiable" : { start: Math.max(0, size - Number(last)), end: size }
  if (last !== "" && Number(last) < Number(first)) return null
  if (Number(first) >= size) return "unsatisfiable"
  return { start: Number(first), end: last === "" ? size : Math.min(size, Number(last) + 1) }
}
