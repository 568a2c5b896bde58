// The formats of jq: `@csv`, `@sh`, `@base64` and the others. Receives a value, returns its text.
import { isArray, type Json, shownType, writeJson } from "./json.ts"
import { raise } from "./paths.ts"
import { quotedWord } from "../../syntax/quoted-word.ts"

export const asText = (value: Json): string => (typeof value === "string" ? value : writeJson(value))

const HTML: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&#39;", '"': "&quot;" }
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

const row = (value: Json, name: string, cell: (text: string) => string, between: string): string => {
  if (!isArray(value)) return raise(`${shownType(value)} cannot be ${name}-formatted, only an array can be`)
  return value
    .map((item) => {
      if (item === null) return ""
      if (typeof item === "string") return cell(item)
      if (typeof item === "object") return raise(`${shownType(item)} is not valid in a ${name} row`)
      return writeJson(item)
    })
    .join(between)
}

const TSV: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\" }

const shellWord = (value: Json): string => {
  if (value !== null && typeof value === "object") return raise(`${shownType(value)} can not be escaped for shell`)
  return typeof value === "string" ? quotedWord(value) : writeJson(value)
}

const base32 = (text: string): string => {
  let bits = ""
  for (const byte of Buffer.from(text)) bits += byte.toString(2).padStart(8, "0")
  const letters = (bits.match(/.{1,5}/g) ?? [])
    .map((five) => BASE32.charAt(Number.parseInt(five.padEnd(5, "0"), 2)))
    .join("")
  return letters.padEnd(Math.ceil(letters.length / 8) * 8, "=")
}

const fromBase32 = (text: string): string => {
  let bits = ""
  for (const letter of text.replace(/=+$/, "")) {
    const at = BASE32.indexOf(letter)
    if (at === -1) return raise(`string (${writeJson(text)}) is not valid base32 data`)
    bits += at.toString(2).padStart(5, "0")
  }
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))).toString("utf8")
}

const fromBase64 = (text: string): string => {
  const bytes = Buffer.from(text, "base64")
  if (!/^[A-Za-z0-9+/]*=*$/.test(text) || (bytes.length === 0 && text !== ""))
    return raise(`string (${writeJson(text)}) is not valid base64 data`)
  return bytes.toString("utf8")
}

export const FORMATS: Readonly<Record<string, (value: Json) => string>> = {
  "@text": asText,
  "@json": (value) => writeJson(value),
  "@csv": (value) => row(value, "csv", (text) => `"${text.replaceAll('"', '""')}"`, ","),
  "@tsv": (value) => row(value, "tsv", (text) => text.replace(/[\t\n\r\\]/g, (letter) => TSV[letter] ?? letter), "\t"),
  "@html": (value) => asText(value).replace(/[<>&'"]/g, (letter) => HTML[letter] ?? letter),
  "@uri": (value) =>
    encodeURIComponent(asText(value).toWellFormed()).replace(
      /[!'()*]/g,
      (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  "@sh": (value) => (isArray(value) ? value.map(shellWord).join(" ") : shellWord(value)),
  "@base64": (value) => Buffer.from(asText(value)).toString("base64"),
  "@base64d": (value) => fromBase64(asText(value)),
  "@base32": (value) => base32(asText(value)),
  "@base32d": (value) => fromBase32(asText(value)),
}
