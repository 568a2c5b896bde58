// Receives the text of a Markdown file and the name of a frontmatter field with a nested value; returns the value.
// Invariant: a value outside of the supported subset of YAML is null as a whole, so that no part is misread.
import { scalarOf, writtenField } from "./frontmatter.ts"

interface Line {
  readonly indent: number
  readonly text: string
}

/** The lines of one value, and the index of the next one to read. */
interface Reader {
  readonly lines: Array<Line>
  at: number
}

const KEY = /^("[^"]*"|'[^']*'|[A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$/
const NUMBER = /^-?\d+(?:\.\d+)?$/

class NotRead extends Error {}

/** Reads mappings, lists and scalars in block form, or JSON; undefined when the field is missing, null when it can't be read. */
export const nestedField = (text: string, name: string): unknown => {
  const field = writtenField(text, name)
  if (field === undefined) return undefined
  const [first = "", ...below] = field
  const lines = below.map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }))
  const written = lines.filter((line) => line.text !== "" && !line.text.startsWith("#"))
  const value = first.replace(/^#.*$/, "").trim()
  try {
    if (value !== "") return scalar([value, ...written.map((line) => line.text)].join(" "))
    const reader: Reader = { lines: written, at: 0 }
    const read = written.length === 0 ? null : node(reader, written[0]?.indent ?? 0)
    return reader.at === written.length ? read : null
  } catch {
    return null
  }
}

const isItem = ({ text }: Line): boolean => text === "-" || text.startsWith("- ")

const node = (reader: Reader, indent: number): unknown => {
  const line = reader.lines[reader.at]
  return line !== undefined && isItem(line) ? list(reader, indent) : mapping(reader, indent)
}

const list = (reader: Reader, indent: number): ReadonlyArray<unknown> => {
  const items: Array<unknown> = []
  for (;;) {
    const line = reader.lines[reader.at]
    if (line === undefined || line.indent !== indent || !isItem(line)) return items
    const rest = line.text.slice(1).trimStart()
    if (rest === "") {
      reader.at += 1
      items.push(inner(reader, indent + 1))
    } else if (KEY.test(rest)) {
      // The first field of a mapping follows the dash; the others begin in its column.
      const column = indent + line.text.length - rest.length
      reader.lines[reader.at] = { indent: column, text: rest }
      items.push(mapping(reader, column))
    } else {
      reader.at += 1
      items.push(scalar(rest))
    }
  }
}

const mapping = (reader: Reader, indent: number): Readonly<Record<string, unknown>> => {
  const fields: Array<readonly [string, unknown]> = []
  for (;;) {
    const line = reader.lines[reader.at]
    if (line === undefined || line.indent < indent) break
    const [, key, value = ""] = KEY.exec(line.text) ?? []
    if (line.indent > indent || key === undefined) throw new NotRead()
    reader.at += 1
    const next = reader.lines[reader.at]
    const below = next !== undefined && next.indent === indent && isItem(next) ? indent : indent + 1
    fields.push([scalarOf(key), value === "" || value.startsWith("#") ? inner(reader, below) : scalar(value)])
  }
  return Object.fromEntries(fields)
}

/** Reads the node on the next lines if it is indented by at least `least`; null otherwise. */
const inner = (reader: Reader, least: number): unknown => {
  const next = reader.lines[reader.at]
  return next === undefined || next.indent < least ? null : node(reader, next.indent)
}

const scalar = (text: string): unknown => {
  if (/^[[{]/.test(text)) return JSON.parse(text)
  if (/^[|>&*!]/.test(text)) throw new NotRead()
  const value = scalarOf(text)
  if (value !== text) return value
  if (NUMBER.test(value)) return Number(value)
  return value === "true" ? true : value === "false" ? false : value
}
