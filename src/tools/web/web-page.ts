// Receives a fetched response; returns the page as text that a model can read, or what it contains instead.
// Invariant: time and memory are proportional to the part of the page that is read, which is bounded.
import * as Result from "effect/Result"
import type { Fetched } from "../../net/guarded-fetch.ts"
import { htmlToMarkdown } from "./html-markdown.ts"
import type { Page } from "./page-cache.ts"

/** The most bytes of a page that are fetched. */
export const MAX_PAGE_BYTES = 2 << 20
/** The most characters of HTML that are converted to Markdown. */
const MAX_HTML = 500_000
/** How many bytes at the beginning are checked for binary content and a charset. */
const SNIFFED = 1024

const HTML: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"])
const TEXT =
  /^text\/|[/+](?:json|xml|yaml)$|^application\/(?:javascript|ecmascript|x-javascript|x-ndjson|jsonl|x-yaml|toml|sql|graphql|x-sh|rtf)$/

/** Content that is not text. */
export interface Binary {
  readonly type: string
  /** Its type and size, in words. */
  readonly about: string
}

/** Returns the page, or as a failure what it contains instead of text. */
export const pageOf = (fetched: Fetched): Result.Result<Page, Binary> => {
  const { status: code, statusText, bytes, cut, headers } = fetched
  const contentType = (headers.get("content-type") ?? "").slice(0, 200)
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase()
  const kind = kindOf(type, bytes)
  if (kind === "binary") return Result.fail({ type, about: `${type === "" ? "binary" : type} (${sizeOf(fetched)})` })
  const decoded = decoderFor(charsetOf(bytes, contentType, kind)).decode(bytes)
  const read = kind === "html" ? decoded.slice(0, MAX_HTML) : decoded
  const text = kind === "html" ? htmlToMarkdown(read) : read
  const left = cut || read.length < decoded.length
  return Result.succeed({
    code,
    codeText: statusText,
    bytes: bytes.byteLength,
    text: left ? `${text}\n\n(The page is longer; the rest was not read.)` : text,
  })
}

const kindOf = (type: string, bytes: Uint8Array): "html" | "text" | "binary" => {
  if (HTML.has(type)) return "html"
  if (TEXT.test(type)) return "text"
  const begin = bytes.subarray(0, SNIFFED)
  if (type !== "" || begin.includes(0)) return begin.length === 0 ? "text" : "binary"
  return /^\s*<(?:!doctype html|html)\b/i.test(new TextDecoder().decode(begin)) ? "html" : "text"
}

const MARKS = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
] as const

const CHARSET = /charset\s*=\s*"?([\w.:-]{1,40})/i
const META = /<meta\s[^<>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i

/** The charset, determined as by browsers: the byte-order mark, then the header, then the HTML page's own meta tag. */
const charsetOf = (bytes: Uint8Array, contentType: string, kind: "html" | "text"): string => {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))
  const named = marked?.[0] ?? CHARSET.exec(contentType)?.[1]
  if (named !== undefined || kind !== "html") return named ?? "utf-8"
  const own = META.exec(Buffer.from(bytes.subarray(0, SNIFFED)).toString("latin1"))?.[1] ?? "utf-8"
  // A page whose meta tag was found in its bytes is not UTF-16.
  return /^utf-?16/i.test(own) ? "utf-8" : own
}

/** An unknown encoding is read as UTF-8. */
const decoderFor = (charset: string): TextDecoder => {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

const sizeOf = ({ headers, bytes, cut }: Fetched): string => {
  const length = Number(headers.get("content-length") ?? Number.NaN)
  if (Number.isSafeInteger(length) && length > 0) return `${length} bytes`
  return cut ? `more than ${bytes.byteLength} bytes` : `${bytes.byteLength} bytes`
}
