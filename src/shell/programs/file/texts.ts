// Receives the content of a file; returns its encoding if it is text, and what kind of text it is, as file 5.44 names both.
// Invariant: a pattern takes time linear in a text, and only the beginning of a long one is read, except for JSON.
import type { Format } from "./formats.ts"

/** The most bytes whose encoding is examined. */
const HEAD_BYTES = 65_536
/** The most bytes of a text that is parsed as JSON. */
const JSON_BYTES = 1_048_576
/** The most characters in which the languages are recognised. */
const LANGUAGE_CHARACTERS = 8192
const LONG_LINE = 300
const CSV_LINES = 10

export interface Encoding {
  readonly name: string
  readonly charset: string
  /** The examined text. */
  readonly text: string
}

/** True for a control character that no text contains. */
const isControl = (byte: number): boolean => byte < 7 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127

/** The encoding of a text; null if the content is not text. */
export const encodingOf = (content: Buffer): Encoding | null => {
  const head = content.subarray(0, HEAD_BYTES)
  const mark = head.toString("latin1", 0, 2)
  if (mark === "\xff\xfe")
    return { name: "Unicode text, UTF-16, little-endian", charset: "utf-16le", text: head.toString("utf16le") }
  if (mark === "\xfe\xff") {
    const even = Buffer.from(head.subarray(0, head.length - (head.length % 2))).swap16()
    return { name: "Unicode text, UTF-16, big-endian", charset: "utf-16be", text: even.toString("utf16le") }
  }
  const text = head.toString("latin1")
  if (head.some(isControl)) return null
  if (head.every((byte) => byte < 128)) return { name: "ASCII", charset: "us-ascii", text }
  if (isUtf8(head)) {
    const marked = text.startsWith("\xef\xbb\xbf")
    return { name: `Unicode text, UTF-8${marked ? " (with BOM)" : ""}`, charset: "utf-8", text: head.toString("utf8") }
  }
  return /[\x80-\x84\x86-\x9f]/.test(text)
    ? { name: "Non-ISO extended-ASCII", charset: "unknown-8bit", text }
    : { name: "ISO-8859", charset: "iso-8859-1", text }
}

/** True if the bytes are UTF-8, whose last character may be incomplete. */
const isUtf8 = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true })
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

/** `whole` replaces the name of the encoding, `text` and `script` precede it. */
interface Kind extends Format {
  readonly form: "whole" | "text" | "script"
}

/** The interpreter of `#!`, its description and its media type. */
const INTERPRETERS: ReadonlyArray<readonly [RegExp, string, string, Kind["form"]?]> = [
  [/^bash$/, "Bourne-Again shell script", "text/x-shellscript"],
  [/^sh$/, "POSIX shell script", "text/x-shellscript"],
  [/^zsh$/, "Paul Falstad's zsh script", "text/x-shellscript"],
  [/^fish$/, "fish shell script", "text/x-shellscript"],
  [/^python/, "Python script", "text/x-script.python"],
  [/^node(?:js)?$/, "Node.js script executable", "application/javascript", "text"],
  [/^perl/, "Perl script text executable", "text/x-perl", "whole"],
  [/^ruby/, "Ruby script", "text/x-ruby"],
  [/^[gmn]?awk$/, "awk script", "text/x-awk"],
  [/^lua/, "Lua script", "text/x-lua"],
  [/^make$/, "makefile script", "text/x-makefile", "text"],
]

const KINDS: ReadonlyArray<readonly [RegExp, string, string, Kind["form"]]> = [
  [/^%PDF-([\d.]*)/, "PDF document, version $1", "application/pdf", "whole"],
  [/^%!PS-Adobe-([\d.]*)/, "PostScript document text conforming DSC level $1", "application/postscript", "whole"],
  [/^\{\\rtf/, "Rich Text Format data", "text/rtf", "whole"],
  [/^!<arch>\ndebian-binary/, "Debian binary package (format 2.0)", "application/vnd.debian.binary-package", "whole"],
  [/^!<arch>\n/, "current ar archive", "application/x-archive", "whole"],
  [/^BEGIN:VCALENDAR/, "vCalendar calendar file", "text/calendar", "whole"],
  [/^BEGIN:VCARD/, "vCard visiting card", "text/vcard", "whole"],
  [/^-----BEGIN OPENSSH PRIVATE KEY/, "OpenSSH private key", "text/plain", "whole"],
  [/^-----BEGIN ((?:[A-Z]+ )?)PRIVATE KEY/, "PEM $1private key", "text/plain", "whole"],
  [/^-----BEGIN CERTIFICATE REQUEST/, "PEM certificate request", "text/plain", "whole"],
  [/^-----BEGIN CERTIFICATE/, "PEM certificate", "text/plain", "whole"],
  [/^-----BEGIN PGP PUBLIC KEY BLOCK/, "PGP public key block", "application/pgp-keys", "whole"],
  [/^ssh-rsa /, "OpenSSH RSA public key", "text/plain", "whole"],
  [/^(?:<\?xml[^>]*>[^<]*)?<svg\b/, "SVG Scalable Vector Graphics image", "image/svg+xml", "whole"],
  [/^<\?xml version=["']([\d.]+)/, "XML $1 document", "text/xml", "text"],
  [/<(?:!doctype html|html|head|title)\b/i, "HTML document", "text/html", "text"],
  [/^<\?php/, "PHP script", "text/x-php", "text"],
  [/^(?:diff --git |--- [^\n]*\n\+\+\+ |Index: [^\n]*\n)/m, "unified diff output", "text/x-diff", "text"],
  [/^\*\*\* [^\n]*\n--- /, "context diff output", "text/x-diff", "text"],
  [/^\\documentclass/m, "LaTeX 2e document", "text/x-tex", "text"],
  [/^\\(?:section|chapter|begin)\{/m, "LaTeX document", "text/x-tex", "text"],
  [/^Received: /, "RFC 822 mail", "message/rfc822", "text"],
  [/^From: /, "news or mail", "message/rfc822", "text"],
  [
    /^import [^\n]+ from ["']|^export (?:const|default|class|function) |^"use strict"/m,
    "JavaScript source",
    "application/javascript",
    "text",
  ],
  [
    /^(?:from [\w.]+ import |class \w+(?:\([^)\n]*\))?:|def \w+\([^)\n]*\)[^\n:]*:|try:|if __name__ ==|""")/m,
    "Python script",
    "text/x-script.python",
    "script",
  ],
  [/^(?:import java[\w.]*;|import java[\w.]*\.\*;|public class )/m, "Java source", "text/x-java", "text"],
  [/^(?:class \w+[^\n;{]*\{|namespace \w+|template\s*<)/m, "C++ source", "text/x-c++", "text"],
  [
    /^#\s*include\s*[<"]|^(?:int|void) main\s*\(|^(?:typedef )?struct \w+\s*\{|^extern "C"/m,
    "C source",
    "text/x-c",
    "text",
  ],
  [/^(?:CFLAGS|LDFLAGS|VPATH|all:|\.PRECIOUS)/m, "makefile script", "text/x-makefile", "text"],
  [/^(?:require ["']|module [A-Z]\w*\n|class [A-Z]\w*\n)/m, "Ruby script", "text/x-ruby", "text"],
]

const kindOf = (content: Buffer, text: string): Kind => {
  const head = text.slice(0, LANGUAGE_CHARACTERS)
  const json = jsonKind(content, head)
  if (json !== null) return json
  if (isCsv(text)) return { description: "CSV text", mime: "text/csv", form: "whole" }
  const called = /^#! ?([^\n\r]*)/.exec(head)?.[1]
  if (called !== undefined) {
    const words = called.replace(/^\S*\/env /, "")
    const name = words.split(" ", 1)[0]?.replace(/^.*\//, "") ?? ""
    const [, description = `a ${words.trimEnd()} script`, mime = "text/plain", form = "script"] =
      INTERPRETERS.find(([pattern]) => pattern.test(name)) ?? []
    return { description, mime, form }
  }
  for (const [pattern, description, mime, form] of KINDS) {
    const found = pattern.exec(head)
    if (found !== null) return { description: description.replace("$1", found[1] ?? ""), mime, form }
  }
  return { description: "", mime: "text/plain", form: "text" }
}

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === "object"
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

const jsonKind = (content: Buffer, head: string): Kind | null => {
  if (!/^\s*[[{]/.test(head) || content.length > JSON_BYTES) return null
  const text = content.toString("utf8")
  if (isJson(text)) return { description: "JSON text data", mime: "application/json", form: "whole" }
  const lines = text.trimEnd().split("\n")
  return lines.length > 1 && lines.every(isJson)
    ? { description: "New Line Delimited JSON text data", mime: "application/x-ndjson", form: "whole" }
    : null
}

/** True if the first ten lines, at least three, have the same number of commas outside quotes. */
const isCsv = (text: string): boolean => {
  const lines = text.split("\n", CSV_LINES + 1)
  const complete = lines.slice(0, Math.min(lines.length - 1, CSV_LINES))
  const [first = 0, ...others] = complete.map((line) => line.replace(/"[^"]*"/g, "").split(",").length - 1)
  return complete.length > 2 && first > 0 && others.every((count) => count === first)
}

/** The description and media type of a text. */
export const textFormat = (content: Buffer, { name, text }: Encoding): Format => {
  const { description, mime, form } = kindOf(content, text)
  if (form === "whole") return { description, mime }
  const kind = description === "" ? "" : `${description}, `
  return { description: `${kind}${name} text${form === "script" ? " executable" : ""}${formOf(text)}`, mime }
}

/** What is unusual about the lines of a text. */
const formOf = (text: string): string => {
  const longest = text.split(/[\r\n]/).reduce((most, line) => Math.max(most, line.length), 0)
  const ends = [
    ...(text.includes("\r\n") ? ["CRLF"] : []),
    ...(/\r(?!\n)/.test(text) ? ["CR"] : []),
    ...(/(?<!\r)\n/.test(text) ? ["LF"] : []),
  ]
  const terminators = ends.length === 0 ? "no" : ends.join(", ")
  return [
    ...(longest > LONG_LINE ? [`with very long lines (${longest})`] : []),
    ...(terminators === "LF" ? [] : [`with ${terminators} line terminators`]),
    ...(text.includes("\x1b") ? ["with escape sequences"] : []),
    ...(text.includes("\b") ? ["with overstriking"] : []),
  ]
    .map((part) => `, ${part}`)
    .join("")
}
