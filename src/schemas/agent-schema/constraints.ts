// Receives the checks of an Effect Schema node; returns those that JSON Schema can express exactly, as constraints.
// Invariant: a check that is not one of the profile's own is reported, never dropped. Lengths are UTF-16 units.
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** The combined checks of one node. */
export interface Constraints {
  readonly integer: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: RegExp
  /** Issue names for the checks outside the profile. */
  readonly issues: ReadonlyArray<string>
}

type Kind = "string" | "number" | "array"

/** A check as Effect describes it: the id of a check of the library, and its numbers. */
interface Described {
  readonly id: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
  readonly toJsonSchema: unknown
}

const describe = (check: SchemaAST.Check<never>): ReadonlyArray<Described> => {
  if (check._tag === "FilterGroup") return check.checks.flatMap(describe)
  const { representation, toJsonSchema } = (check.annotations ?? {}) as {
    // Annotations are open records; these two are read as unknown and narrowed below.
    readonly representation?: { readonly id?: unknown; readonly payload?: unknown }
    readonly toJsonSchema?: unknown
  }
  const { id, payload } = representation ?? {}
  const fields = typeof payload === "object" && payload !== null ? Object.fromEntries(Object.entries(payload)) : {}
  return [{ id: typeof id === "string" ? id.replace("effect/schema/", "") : undefined, payload: fields, toJsonSchema }]
}

/** The library's checks that the profile supports, each with the kinds of node that it may be on. */
const KNOWN: Readonly<Record<string, { readonly on: ReadonlyArray<Kind>; readonly check: SchemaAST.Check<never> }>> = {
  isMinLength: { on: ["string", "array"], check: Schema.isMinLength(1) },
  isMaxLength: { on: ["string", "array"], check: Schema.isMaxLength(1) },
  isBetweenLength: { on: ["string", "array"], check: Schema.isBetweenLength(1, 1) },
  isPattern: { on: ["string"], check: Schema.isPattern(/a/) },
  isInt: { on: ["number"], check: Schema.isInt() },
  isFinite: { on: ["number"], check: Schema.isFinite() },
  isGreaterThanOrEqualTo: { on: ["number"], check: Schema.isGreaterThanOrEqualTo(0) },
  isLessThanOrEqualTo: { on: ["number"], check: Schema.isLessThanOrEqualTo(0) },
  isBetween: { on: ["number"], check: Schema.isBetween({ minimum: 0, maximum: 0 }) },
}

/** True for an author's own `toJsonSchema`, a raw JSON Schema annotation. It is compared by its source with the library's. */
const isRaw = (described: Described, known: SchemaAST.Check<never> | undefined): boolean => {
  if (described.toJsonSchema === undefined) return false
  return known === undefined || String(described.toJsonSchema) !== String(describe(known)[0]?.toJsonSchema)
}

const NUMBERS = ["minimum", "maximum", "minLength", "maxLength"] as const

/** Reads a node's checks. Of several bounds of one kind the narrowest counts; a second pattern is an issue. */
export const readChecks = (checks: SchemaAST.Checks | undefined, kind: Kind): Constraints => {
  const issues: Array<string> = []
  const bounds: Partial<Record<(typeof NUMBERS)[number], number>> = {}
  let integer = false
  let pattern: RegExp | undefined
  for (const described of (checks ?? []).flatMap(describe)) {
    const known = described.id !== undefined && Object.hasOwn(KNOWN, described.id) ? KNOWN[described.id] : undefined
    if (known === undefined || !known.on.includes(kind)) {
      issues.push("refinement-unsupported")
      continue
    }
    if (isRaw(described, known.check)) issues.push("raw-json-schema-unsupported")
    if (described.id === "isInt") integer = true
    if (described.id === "isPattern") {
      if (pattern !== undefined) issues.push("second-pattern-unsupported")
      const { source, flags } = described.payload
      const made = readPattern(String(source), String(flags ?? ""))
      if (typeof made === "string") issues.push(made)
      else pattern = made
    }
    for (const [key, value] of boundsOf(described)) {
      if (typeof value !== "number" || !isBound(key, value)) issues.push("refinement-unsupported")
      else {
        const before = bounds[key]
        const narrow = key.startsWith("min") ? Math.max : Math.min
        bounds[key] = before === undefined ? value : narrow(before, value)
      }
    }
  }
  return { integer, ...bounds, ...(pattern === undefined ? {} : { pattern }), issues }
}

const boundsOf = ({ id, payload }: Described): ReadonlyArray<readonly [(typeof NUMBERS)[number], unknown]> => {
  if (id === "isBetweenLength") {
    return [
      ["minLength", payload["minLength"] ?? payload["minimum"]],
      ["maxLength", payload["maxLength"] ?? payload["maximum"]],
    ]
  }
  const exclusive = ["exclusiveMinimum", "exclusiveMaximum"].filter((key) => payload[key] !== undefined)
  return [
    ...NUMBERS.filter((key) => payload[key] !== undefined).map((key) => [key, payload[key]] as const),
    // The profile has no exclusive bounds: NaN fails the check for a bound.
    ...exclusive.map(() => ["minimum", Number.NaN] as const),
  ]
}

const isBound = (key: string, value: number): boolean =>
  key.endsWith("Length") ? Number.isSafeInteger(value) && value >= 0 : Number.isFinite(value)

/** Syntax whose meaning changes with the `u` flag, with which JSON Schema reads patterns. */
const NEEDS_UNICODE = /(?<!\\)\.|\[\^|\\[DWSPpu]|[^\0-\x7f]/

/** The pattern in Unicode mode, as JSON Schema reads it; or the name of the issue that makes it unusable. */
const readPattern = (source: string, flags: string): RegExp | string => {
  if (flags !== "" && flags !== "u") return "pattern-flags-unsupported"
  if (flags === "" && NEEDS_UNICODE.test(source)) return "pattern-without-u-flag-unsupported"
  try {
    return new RegExp(source, "u")
  } catch {
    // The pattern is valid only without the flag, such as `\-`.
    return "pattern-without-u-flag-unsupported"
  }
}
