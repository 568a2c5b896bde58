// Receives a PDF file and the requested pages; returns it as a document for the model, or throws a ToolError with the reason.
// Invariant: the Messages API accepts what is returned: a complete PDF, within its limits of bytes and pages.
import { inflateSync } from "node:zlib"
import type { FileReadOutput } from "../../schemas/sdk/tools/tool-outputs.ts"
import { ToolError, type ToolOutcome } from "../tool.ts"

const MAX_PDF_BYTES = 6_000_000
const MAX_PDF_PAGES = 100
/** The most pages that one call may request. */
export const MAX_PAGES_ASKED = 20
const MAX_INFLATED_BYTES = 16_000_000

export interface PageRange {
  readonly first: number
  /** Infinity for a range without an end. */
  readonly last: number
}

const RANGE = /^(\d{1,6})(?:(-)(\d{1,6})?)?$/

/** Parses `3`, `1-5` or `5-`. Returns a message for an invalid range, and null when no pages are requested. */
export const pageRange = (pages: string | undefined): PageRange | string | null => {
  const asked = pages?.trim() ?? ""
  if (asked === "") return null
  const [, from, dash, to] = RANGE.exec(asked) ?? []
  const first = Number(from ?? 0)
  const last = dash === undefined ? first : to === undefined ? Number.POSITIVE_INFINITY : Number(to)
  if (first < 1 || last < first) {
    return `pages is "${asked}": expected one page ("3") or one range ("1-5"), counted from 1. Read several ranges with several calls.`
  }
  if (last - first >= MAX_PAGES_ASKED) {
    return `pages is "${asked}": one call may request at most ${MAX_PAGES_ASKED} pages.`
  }
  return { first, last }
}

const HEADER = "%PDF-"
const HEADER_BYTES = new TextEncoder().encode(HEADER)

const hasHeader = (bytes: Uint8Array): boolean => HEADER_BYTES.every((byte, at) => bytes[at] === byte)

export const isPdf = (path: string): boolean => path.toLowerCase().endsWith(".pdf")

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

const fail = (message: string): never => {
  throw new ToolError({ reason: "command_failed", message })
}

export const readPdf = (bytes: Uint8Array, path: string, range: PageRange | null): ToolOutcome => {
  if (bytes.length === 0) fail(`${path} is an empty file, not a PDF.`)
  if (!hasHeader(bytes)) fail(`${path} is not a PDF: it does not start with ${HEADER}.`)
  if (bytes.length > MAX_PDF_BYTES) {
    fail(`${path} is a PDF of ${bytes.length} bytes; PDF files over ${MAX_PDF_BYTES} bytes can't be shown.`)
  }
  const pages = pageCount(bytes)
  if (pages !== null && pages > MAX_PDF_PAGES) {
    fail(`${path} is a PDF of about ${pages} pages; PDF files of more than ${MAX_PDF_PAGES} pages can't be shown.`)
  }
  if (range !== null && (pages === null || range.first > 1 || range.last < pages)) {
    fail(`${path} can only be shown as a whole: single pages can't be extracted. Omit the parameter pages.`)
  }
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")
  const output: FileReadOutput = { type: "pdf", file: { filePath: path, base64, originalSize: bytes.length } }
  return { content: pdfContent(path, base64, bytes.length), output }
}

export const pdfContent = (path: string, base64: string, size: number): ToolOutcome["content"] => [
  { type: "text", text: `PDF file: ${path} (${size} bytes)` },
  { type: "document", source: { type: "base64", media_type: "application/pdf", data: base64 } },
]

const PAGE = /\/Type\s*\/Page(?![A-Za-z])/g
const OBJECT_STREAM = /\/Type\s*\/ObjStm/g

/** The approximate number of pages; null when none is found, as in an encrypted file. */
const pageCount = (bytes: Uint8Array): number | null => {
  const text = latin1(bytes)
  let pages = countOf(text)
  let left = MAX_INFLATED_BYTES
  for (const { index } of text.matchAll(OBJECT_STREAM)) {
    const begin = text.indexOf("stream", index + 8)
    const end = text.indexOf("endstream", begin)
    if (begin === -1 || end === -1 || left <= 0) break
    const inflated = inflate(bytes.subarray(begin + (text[begin + 6] === "\r" ? 8 : 7), end), left)
    left -= inflated.length
    pages += countOf(inflated)
  }
  return pages === 0 ? null : pages
}

const countOf = (text: string): number => text.match(PAGE)?.length ?? 0

/** The text of a compressed stream; empty when it can't be decompressed, so that the API decides about the file. */
const inflate = (bytes: Uint8Array, most: number): string => {
  try {
    return latin1(inflateSync(bytes, { maxOutputLength: most }))
  } catch {
    return ""
  }
}
