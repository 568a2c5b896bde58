// Arbitrary schemas inside the profile, and values for each: about half are valid, the others are damaged at one position.
import { Schema } from "effect"
import * as fc from "fast-check"

/** A schema as data, from which an Effect Schema and values are built. */
export type Spec =
  | { kind: "string"; min?: number; max?: number; pattern?: keyof typeof PATTERNS }
  | { kind: "number"; integer: boolean; min?: number; max?: number }
  | { kind: "boolean" }
  | { kind: "literals"; values: ReadonlyArray<string> }
  | { kind: "array"; item: Spec; min?: number; max?: number }
  | { kind: "union"; members: ReadonlyArray<Spec> }
  | ObjectSpec
export interface ObjectSpec {
  kind: "object"
  properties: ReadonlyArray<{ name: string; optional: boolean; spec: Spec }>
}

/** Patterns with values that match. */
const PATTERNS = {
  "^[a-z]+$": ["a", "abc", "zz"],
  "^.{2}$": ["ab", "𝒳𝒳", "é\u2028".slice(0, 1) + "x"],
  "\\d": ["1", "a2", "٣4"],
  "^(?:on|off)$": ["on", "off"],
  "^\\p{L}+$": ["é", "жaz"],
} as const

const NAMES = ["a", "b", "path", "-n", "title", "x-y", "ключ", "items", "type", "length", "required", "enum"]
const TEXTS = ["", "a", "ab", "abc", "on", "𝒳", "𝒳𝒳", "\ud83d", "é", "null", "1", "long text here", "a\nb"]
const NUMBERS = [0, -0, 1, 2, 5, -1, 0.5, 1.5, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), 1e20, -7, 100, 1e308, Infinity, NaN]

const range = (maximum: number) =>
  fc.record(
    { min: fc.integer({ min: 0, max: maximum }), extra: fc.integer({ min: 0, max: maximum }) },
    { requiredKeys: [] },
  )
const bounds = (maximum: number) =>
  range(maximum).map(({ min, extra }) => ({
    ...(min === undefined ? {} : { min }),
    ...(extra === undefined ? {} : { max: (min ?? 0) + extra }),
  }))

const leaf: fc.Arbitrary<Spec> = fc.oneof(
  bounds(3).map((limits) => ({ kind: "string" as const, ...limits })),
  fc
    .constantFrom(...(Object.keys(PATTERNS) as Array<keyof typeof PATTERNS>)) // the keys of that very object
    .map((pattern) => ({ kind: "string" as const, pattern })),
  fc.tuple(fc.boolean(), bounds(5)).map(([integer, limits]) => ({ kind: "number" as const, integer, ...limits })),
  fc.constant({ kind: "boolean" as const }),
  fc
    .uniqueArray(fc.constantFrom("a", "b", "on", "", "𝒳"), { minLength: 1, maxLength: 3 })
    .map((values) => ({ kind: "literals" as const, values })),
)

const { spec } = fc.letrec<{ spec: Spec; object: ObjectSpec }>((tie) => ({
  spec: fc.oneof(
    { depthSize: "small", maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.tuple(tie("spec"), bounds(2)).map(([item, limits]) => ({ kind: "array" as const, item, ...limits })),
    fc.array(tie("spec"), { minLength: 1, maxLength: 3 }).map((members) => ({ kind: "union" as const, members })),
    tie("object").filter(({ properties }) => properties.length > 0),
  ),
  object: fc
    .uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), optional: fc.boolean(), spec: tie("spec") }), {
      maxLength: 4,
      selector: ({ name }) => name,
    })
    .map((properties) => ({ kind: "object" as const, properties })),
}))

/** The root: an object. */
export const objectSpec: fc.Arbitrary<ObjectSpec> = fc
  .uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), optional: fc.boolean(), spec }), {
    maxLength: 4,
    selector: ({ name }) => name,
  })
  .map((properties) => ({ kind: "object", properties }))

type Any = Schema.Codec<unknown, unknown>

const lengths = (limits: { min?: number; max?: number }) => [
  ...(limits.min === undefined ? [] : [Schema.isMinLength(limits.min)]),
  ...(limits.max === undefined ? [] : [Schema.isMaxLength(limits.max)]),
]

/** The Effect Schema that a spec describes. */
export const toSchema = (spec: Spec): Any => {
  switch (spec.kind) {
    case "string": {
      const checks = [
        ...lengths(spec),
        ...(spec.pattern === undefined ? [] : [Schema.isPattern(new RegExp(spec.pattern, "u"))]),
      ]
      return checks.reduce<typeof Schema.String>((made, check) => made.check(check), Schema.String)
    }
    case "number": {
      const checks = [
        ...(spec.integer ? [Schema.isInt()] : []),
        ...(spec.min === undefined ? [] : [Schema.isGreaterThanOrEqualTo(spec.min)]),
        ...(spec.max === undefined ? [] : [Schema.isLessThanOrEqualTo(spec.max)]),
      ]
      return checks.reduce<typeof Schema.Number>((made, check) => made.check(check), Schema.Number)
    }
    case "boolean":
      return Schema.Boolean
    case "literals":
      return spec.values.length === 1 ? Schema.Literal(spec.values[0]!) : Schema.Literals(spec.values)
    case "array": {
      const array = Schema.Array(toSchema(spec.item))
      return lengths(spec).reduce<typeof array>((made, check) => made.check(check), array)
    }
    case "union":
      return Schema.Union(spec.members.map(toSchema))
    case "object":
      return Schema.Struct(
        Object.fromEntries(
          spec.properties.map(({ name, optional, spec: inner }) => {
            const schema = toSchema(inner)
            return [name, optional ? Schema.optionalKey(schema) : schema]
          }),
        ),
      )
  }
}

/** Values that match a spec, except for unsatisfiable patterns or bounds. */
export const fitting = (spec: Spec): fc.Arbitrary<unknown> => {
  switch (spec.kind) {
    case "string":
      if (spec.pattern !== undefined) return fc.constantFrom(...PATTERNS[spec.pattern])
      return fc.array(fc.constantFrom("a", "é", "𝒳", "\n"), { maxLength: 6 }).map((parts) =>
        parts
          .join("")
          .padEnd(spec.min ?? 0, "p")
          .slice(0, spec.max ?? 100),
      )
    case "number":
      return spec.integer
        ? fc.integer({ min: spec.min ?? -10, max: spec.max ?? Math.max(10, spec.min ?? 0) })
        : fc.double({ min: spec.min ?? -10, max: spec.max ?? Math.max(10, spec.min ?? 0), noNaN: true })
    case "boolean":
      return fc.boolean()
    case "literals":
      return fc.constantFrom(...spec.values)
    case "array":
      return fc.array(fitting(spec.item), { minLength: spec.min ?? 0, maxLength: spec.max ?? (spec.min ?? 0) + 2 })
    case "union":
      return fc.oneof(...spec.members.map(fitting))
    case "object": {
      const keys = spec.properties.filter(({ optional }) => !optional).map(({ name }) => name)
      const fields = Object.fromEntries(spec.properties.map(({ name, spec: inner }) => [name, fitting(inner)]))
      return fc.record(fields, { requiredKeys: keys, noNullPrototype: true })
    }
  }
}

const other: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...NUMBERS),
  fc.constantFrom<unknown>(null, true, false, [], {}, [1], ["a"], { a: 1 }, [[]], { constructor: 1 }),
)

/** The value with one position changed: replaced, a key dropped or added, an item dropped or duplicated. */
const damage = (value: unknown, [step, ...steps]: ReadonlyArray<number>, by: unknown): unknown => {
  if (step === undefined || typeof value !== "object" || value === null) return by
  const deeper = steps.length > 0 && step % 3 !== 0
  if (Array.isArray(value)) {
    if (value.length === 0) return [by]
    const at = step % value.length
    if (deeper) return value.map((item, index) => (index === at ? damage(item, steps, by) : item))
    return step % 2 === 0 ? value.filter((_, index) => index !== at) : [...value, value[at]]
  }
  const entries = Object.entries(value)
  if (entries.length === 0 || (!deeper && step % 2 === 0)) {
    return Object.fromEntries([...entries, [["zzz", "__proto__", "a", "toString"][step % 4], by]])
  }
  const at = step % entries.length
  if (!deeper) return Object.fromEntries(entries.filter((_, index) => index !== at))
  return Object.fromEntries(
    entries.map(([key, child], index) => [key, index === at ? damage(child, steps, by) : child]),
  )
}

/** Values for a spec: somewhat more than half are valid. */
export const values = (spec: Spec): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: fitting(spec) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fitting(spec), fc.array(fc.nat(11), { minLength: 1, maxLength: 4 }), other)
        .map(([value, steps, by]) => damage(value, steps, by)),
    },
  )
