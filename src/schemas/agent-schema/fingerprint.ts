// Receives a JSON Schema; returns a fingerprint of what the schema accepts.
// Invariant: the order of keys, titles and descriptions do not matter; any other change does.
import { createHash } from "node:crypto"

const IGNORED = new Set(["$schema", "title", "description", "examples", "default", "$comment"])
const SETS = new Set(["required", "enum"])

/** Keywords whose keys are names, not keywords: a property called `title` is not ignored. */
const NAMES = new Set(["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"])

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const canonical = (value: unknown, key: string | null): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, null))
    if (key === null || !SETS.has(key)) return items
    return items.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b)))
  }
  if (typeof value !== "object" || value === null) return value
  const named = key !== null && NAMES.has(key)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => named || !(IGNORED.has(name) || name.startsWith("x-")))
      .toSorted(([a], [b]) => compare(a, b))
      .map(([name, child]) => [name, canonical(child, named ? null : name)]),
  )
}

/** `agent-schema-v2:sha256:HEX` over the canonical JSON of the schema. */
export const fingerprintOf = (jsonSchema: object): string => {
  const text = JSON.stringify(canonical(jsonSchema, null))
  return `agent-schema-v2:sha256:${createHash("sha256").update(text).digest("hex")}`
}
