// Receives a body that is not JSON; returns the 400 with the position of the fault and, for common mistakes, the cause.
// Invariant: at most one character of the body is repeated.
import { ownValue } from "../../schemas/own-value.ts"
import { type ApiError, invalidField, invalidRequest } from "../errors/errors.ts"

/** The refusal of a body that its headers declare as compressed; undefined for any other. `content` is what to send instead. */
export const compressedBody = (headers: Headers, content: "JSON" | "content"): ApiError | undefined => {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase()
  if (encoding === undefined || encoding === "" || encoding === "identity") return undefined
  return invalidField("Content-Encoding", `a compressed body is not accepted. Send uncompressed ${content}.`)
}

/** The 400 for a text that is not JSON; an empty `text` means that the bytes are not UTF-8. */
export const notJson = (request: Request, text: string): ApiError => {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
  const kind = ownValue(KINDS, type) ?? (text === "" ? " It is not UTF-8 text." : "")
  const place = text === "" ? "" : faultOf(text)
  return invalidRequest(`The request body is not valid JSON.${place}${kind}`)
}

const KINDS: Readonly<Record<string, string>> = {
  "application/x-www-form-urlencoded": " Send a JSON object, with `Content-Type: application/json`, not a form.",
  "multipart/form-data": " Send a JSON object, with `Content-Type: application/json`, not a form.",
  "application/gzip": " Archives go to `PUT /v1/sessions/{id}/archive`.",
  "application/xml": " This API takes JSON only.",
  "text/xml": " This API takes JSON only.",
  "application/yaml": " This API takes JSON only.",
}

/** How many characters before a fault are examined for its cause. */
const AROUND = 40

const faultOf = (text: string): string => {
  const at = positionOf(text)
  if (at === undefined) return ""
  const before = text.slice(Math.max(0, at - AROUND), at).trimEnd()
  const [line, column] = lineAndColumn(text, at)
  const where = ` At line ${line}, column ${column}`
  const char = text[at]
  if (char === undefined) return `${where} it ends too early.`
  if ((char === "}" || char === "]") && before.endsWith(",")) return `${where} there is a comma before the ${char}.`
  if (char === "'") return `${where} there is a single quote: JSON uses double quotes.`
  if (char === "/" || char === "#") return `${where} there is a comment: JSON does not support comments.`
  if (char === "\n" || char === "\r" || char === "\t")
    return `${where} a string contains a line break or tab: write \\n or \\t.`
  if (/[A-Za-z_]/.test(char) && /[{,]$/.test(before)) return `${where} a key has no double quotes.`
  if (/[A-Za-z]/.test(char)) return `${where} there is text that is not a JSON value: strings need double quotes.`
  return `${where} there is an unexpected character.`
}

/** The offset at which the parser stops; undefined when it can't be derived from the parser's message. */
const positionOf = (text: string): number | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ""
    const found = /position (\d+)/.exec(message)?.[1]
    if (found !== undefined) return Number(found)
    return /end of JSON/i.test(message) ? text.length : unnamedPosition(text, message)
  }
}

/** Finds the fault by its character, because V8 mostly names only that: `Unexpected token 'x', "{x}" is not valid JSON`. */
const unnamedPosition = (text: string, message: string): number | undefined => {
  const token = /Unexpected token '?(.)/u.exec(message)?.[1]
  if (token === undefined) return undefined
  // A single pass, since a body may have a million quotes.
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"') at = endOfUnclosedString(text, at)
    else if (text.startsWith(token, at)) return at
  }
  return undefined
}

/** The index of the last character of the string that starts at `start`: its closing quote, or the end of its line or the text. */
const endOfUnclosedString = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at
    if (text[at] === "\n") return at - 1
    if (text[at] === "\\") at += 1
  }
  return text.length
}

/** The line and column of an offset, both counted from 1. */
const lineAndColumn = (text: string, offset: number): readonly [line: number, column: number] => {
  let line = 1
  let from = 0
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", from)) {
    line += 1
    from = end + 1
  }
  return [line, offset - from + 1]
}
