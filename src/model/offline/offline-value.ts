// Receives a JSON Schema and a prompt; returns a value of the schema as the offline model's answer.
// Invariant: nothing is guessed: a field takes its value from the prompt's line with its name (`taskId: task-1`), else the
// first value that the schema allows.
import { isPlainObject } from "../../schemas/plain-object.ts"

type JsonSchema = Readonly<Record<string, unknown>>

/** The value of a string field that the prompt does not provide. */
const TEXT = "This was written by Perch's offline model, not by Claude: no language model is behind it."
/** The deepest level that is filled; it also ends schemas that refer to themselves. */
const DEPTH = 20

/** Supports types, enums, alternatives and references; formats, patterns and lengths are ignored. */
export const valueOf = (schema: unknown, prompt: string): unknown => {
  const root = isPlainObject(schema) ? schema : {}
  return fill(root, { root, lines: linesOf(prompt) }, null, 0)
}

interface Source {
  readonly root: JsonSchema
  /** Values by the name before the colon, in lower case. */
  readonly lines: ReadonlyMap<string, string>
}

const fill = (schema: JsonSchema, source: Source, name: string | null, depth: number): unknown => {
  if (depth > DEPTH) return null
  const below = (inner: unknown) => fill(isPlainObject(inner) ? inner : {}, source, name, depth + 1)
  if (typeof schema["$ref"] === "string") return below(referenced(source.root, schema["$ref"]))
  if ("const" in schema) return schema["const"]
  const given = name === null ? undefined : source.lines.get(name.toLowerCase())
  if (Array.isArray(schema["enum"])) return schema["enum"].find((value) => String(value) === given) ?? schema["enum"][0]
  const choices = schema["anyOf"] ?? schema["oneOf"]
  if (Array.isArray(choices)) return below(choices[0])
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]
  switch (type) {
    case "object": {
      const properties = isPlainObject(schema["properties"]) ? schema["properties"] : {}
      const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : []
      return Object.fromEntries(
        required.map((key) => {
          const inner = properties[key]
          return [key, fill(isPlainObject(inner) ? inner : {}, source, key, depth + 1)]
        }),
      )
    }
    case "array":
      return schema["maxItems"] === 0 ? [] : [below(schema["items"])]
    case "integer":
    case "number":
      return given !== undefined && Number.isFinite(Number(given)) ? Number(given) : (schema["minimum"] ?? 0)
    case "boolean":
      return given !== "false"
    case "null":
      return null
    default:
      return given ?? TEXT
  }
}

/** The schema at a JSON pointer such as `#/$defs/Name`, or `#` for the whole. */
const referenced = (root: JsonSchema, reference: string): unknown => {
  const keys = reference.replace(/^#\/?/, "").split("/")
  return keys.reduce<unknown>(
    (at, key) => (key === "" || !isPlainObject(at) ? at : at[key.replaceAll("~1", "/").replaceAll("~0", "~")]),
    root,
  )
}

/** The lines `name: value` of a prompt; the first one counts when several have the same name. */
const linesOf = (prompt: string): ReadonlyMap<string, string> => {
  const lines = new Map<string, string>()
  for (const line of prompt.split("\n")) {
    const [, name, value] = /^[ \t*-]{0,20}([A-Za-z_]\w{0,63}): {1,20}(\S.*)$/.exec(line) ?? []
    const key = name?.toLowerCase()
    if (key !== undefined && value !== undefined && !lines.has(key)) lines.set(key, value.trim())
  }
  return lines
}
