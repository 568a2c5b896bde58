// Receives the text of a Markdown file; returns the fields between its first two lines of `---`, and what follows them.
// Invariant: it never throws: a line that can't be read is named in `issues`, and every other field is read.

export type FrontmatterValue = string | boolean | ReadonlyArray<string>

export interface Frontmatter {
  readonly fields: Readonly<Record<string, FrontmatterValue>>
  readonly body: string
  /** What could not be read, each a sentence without its subject. */
  readonly issues: ReadonlyArray<string>
}

const MAX_FIELDS = 100
const KEY = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/

/** Reads the subset of YAML that such files use: scalars, quoted texts, lists in both forms, and texts of several lines. */
export const readFrontmatter = (text: string): Frontmatter => {
  const { lines, end } = linesOf(text)
  if (end < 0) return { fields: {}, body: text, issues: [] }
  const { fields, issues } = readFields(lines.slice(1, end))
  return { fields, issues, body: lines.slice(end + 1).join("\n") }
}

const linesOf = (text: string) => {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/)
  const isEdge = (line: string | undefined) => /^---[ \t]*$/.test(line ?? "")
  return { lines, end: isEdge(lines[0]) ? lines.findIndex((line, at) => at > 0 && isEdge(line)) : -1 }
}

/** A field's source: the text after its name, then the lines that belong to it; undefined when there is no such field. */
export const writtenField = (text: string, name: string): ReadonlyArray<string> | undefined => {
  const { lines, end } = linesOf(text)
  const fields = lines.slice(1, Math.max(end, 1))
  const at = fields.findIndex((line) => KEY.exec(line)?.[1] === name)
  if (at < 0) return undefined
  const below = fields.slice(at + 1)
  const next = below.findIndex((line) => !isBelow(line))
  return [KEY.exec(fields[at] ?? "")?.[2] ?? "", ...(next < 0 ? below : below.slice(0, next))]
}

const readFields = (lines: ReadonlyArray<string>) => {
  const fields = new Map<string, FrontmatterValue>()
  const issues: Array<string> = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ""
    at += 1
    if (line.trim() === "" || line.startsWith("#")) continue
    const [, key, value = ""] = KEY.exec(line) ?? []
    if (key === undefined || fields.size >= MAX_FIELDS) {
      issues.push(
        key === undefined ? `has a line that is not a field: ${line.trim().slice(0, 100)}` : "has too many fields",
      )
      continue
    }
    const below: Array<string> = []
    while (at < lines.length && isBelow(lines[at] ?? "")) {
      below.push(lines[at] ?? "")
      at += 1
    }
    fields.set(key, valueOf(value.trim(), below))
  }
  return { fields: Object.fromEntries(fields), issues }
}

/** True for a line that belongs to the field above it. */
const isBelow = (line: string): boolean => /^[ \t]/.test(line) || line.trim() === "" || /^-(?:[ \t]|$)/.test(line)

const valueOf = (value: string, below: ReadonlyArray<string>): FrontmatterValue => {
  if (/^[|>][+-]?$/.test(value)) return blockOf(below, value.startsWith(">"))
  const items = below.filter((line) => line.trim() !== "")
  if (value === "" && items.length > 0 && items.every((line) => /^[ \t]*-(?:[ \t]|$)/.test(line)))
    return items.map((line) => scalarOf(line.replace(/^[ \t]*-[ \t]*/, "").trim()))
  if (value.startsWith("[") && value.endsWith("]")) return listOf(value.slice(1, -1))
  const whole = [value, ...items.map((line) => line.trim())].filter((part) => part !== "").join(" ")
  const scalar = scalarOf(whole)
  if (scalar === whole && /^(?:true|false)$/i.test(scalar)) return scalar.toLowerCase() === "true"
  return scalar
}

const blockOf = (lines: ReadonlyArray<string>, folded: boolean): string => {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length)
  const indent = indents.length === 0 ? 0 : Math.min(...indents)
  return lines
    .map((line) => line.slice(indent))
    .join(folded ? " " : "\n")
    .trim()
}

/** The items of a list in brackets; commas inside quotes don't separate items. */
const listOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"']+/g)]
    .map(([item]) => scalarOf(item.trim()))
    .filter((item) => item !== "")

export const scalarOf = (text: string): string => {
  const last = text.at(-1)
  if (text.length >= 2 && text.startsWith('"') && last === '"')
    return text.slice(1, -1).replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character)
  if (text.length >= 2 && text.startsWith("'") && last === "'") return text.slice(1, -1).replaceAll("''", "'")
  return text.replace(/(?<![ \t])[ \t]+#.*$/, "")
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" }

/** A field as a list; a text is split at commas outside of parentheses. */
export const namesIn = (value: FrontmatterValue | undefined): ReadonlyArray<string> | undefined => {
  if (value === undefined || typeof value === "boolean") return undefined
  if (typeof value !== "string") return value
  return [...value.matchAll(/(?:[^,(]|\([^)]*\)?)+/g)].map(([name]) => name.trim()).filter((name) => name !== "")
}

/** A field as a list of permission rules; a text is split at commas and white space outside of parentheses. */
export const rulesIn = (value: FrontmatterValue | undefined): ReadonlyArray<string> | undefined =>
  typeof value === "string" ? (value.match(/(?:[^,\s(]|\([^)]*\)?)+/g) ?? []) : namesIn(value)

/** The deny rules of a command or a skill; as in the official SDK, the name of an agent's field is accepted too. */
export const disallowedIn = (fields: Frontmatter["fields"]): ReadonlyArray<string> =>
  rulesIn(fields["disallowed-tools"] ?? fields["disallowedTools"]) ?? []

/** A field as a text; undefined for a list, and for a blank one. */
export const textIn = (value: FrontmatterValue | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined
