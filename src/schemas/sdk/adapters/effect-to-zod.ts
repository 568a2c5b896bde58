// Receives an Effect Schema inside the AgentSchema profile; returns the zod 4 schema that accepts the same JSON values.
// Invariant: both accept the same values when Effect decodes with `onExcessProperty: "error"`; what is outside of the profile
// is refused here with its path, never widened. String lengths count UTF-16 units, as Effect does (zod alone counts code
// points). One exception: an empty Struct accepts only `{}` here, while Effect's accepts any non-null value.
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as z from "zod"

/** A part of a schema has no zod form here. `path` leads to it: `files[].name`. */
export class EffectToZodError extends Schema.TaggedError<EffectToZodError>()("EffectToZodError", {
  path: Schema.String,
  message: Schema.String,
}) {}

/** The zod schema of `schema`. Throws `EffectToZodError` when it is outside the profile. */
export const effectToZod = (schema: Schema.Top): z.ZodType => convert(schema.ast, "")

const refuse = (path: string, what: string): never => {
  throw new EffectToZodError({ path, message: `${path === "" ? "the schema" : path} is ${what}: it has no zod form` })
}

const convert = (ast: SchemaAST.AST, path: string): z.ZodType => {
  if (ast.encoding !== undefined) return refuse(path, "a transformation")
  const made = shapeOf(ast, path)
  const description = SchemaAST.resolve(ast)?.["description"]
  return typeof description === "string" ? made.describe(description) : made
}

const shapeOf = (ast: SchemaAST.AST, path: string): z.ZodType => {
  switch (ast._tag) {
    case "String":
      return checksOf(ast, path).reduce(stringCheck(path), z.string())
    case "Number":
      return checksOf(ast, path).reduce(numberCheck(path), z.number())
    case "Boolean":
      return unchecked(ast, path, z.boolean())
    case "Literal":
      return typeof ast.literal === "string"
        ? unchecked(ast, path, z.literal(ast.literal))
        : refuse(path, "a literal that is no string")
    case "Union":
      return unchecked(ast, path, union(ast, path))
    case "Arrays":
      return array(ast, path)
    case "Objects":
      return unchecked(ast, path, object(ast, path))
    default:
      return refuse(path, ast._tag)
  }
}

const object = (ast: SchemaAST.Objects, path: string): z.ZodType => {
  if (ast.indexSignatures.length > 0) return refuse(path, "a record")
  const fields: Array<[string, z.ZodType]> = []
  for (const { name, type } of ast.propertySignatures) {
    if (typeof name !== "string") return refuse(path, "keyed by symbols")
    const at = path === "" ? name : `${path}.${name}`
    const field = convert(withoutUndefined(type), at)
    fields.push([name, SchemaAST.isOptional(type) ? z.exactOptional(field) : field])
  }
  return z.strictObject(Object.fromEntries(fields))
}

/** `Schema.optional(X)` is a union of X and undefined; JSON has no undefined. */
const withoutUndefined = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast._tag !== "Union" || !SchemaAST.isOptional(ast)) return ast
  const rest = ast.types.filter((type) => type._tag !== "Undefined")
  const only = rest[0]
  if (rest.length === ast.types.length || only === undefined) return ast
  return rest.length === 1 ? only : new SchemaAST.Union(rest, ast.options)
}

const union = (ast: SchemaAST.Union, path: string): z.ZodType => {
  if (ast.options?.mode === "oneOf") return refuse(path, "a union of which exactly one member must fit")
  const literals = ast.types.map((type) => (type._tag === "Literal" ? type.literal : undefined))
  const texts = literals.filter((literal) => typeof literal === "string")
  if (texts.length > 0 && texts.length === ast.types.length) return z.enum(texts)
  return z.union(ast.types.map((type, index) => convert(type, `${path}|${index}`)))
}

const array = (ast: SchemaAST.Arrays, path: string): z.ZodType => {
  const [item, ...more] = ast.rest
  if (item === undefined || more.length > 0 || ast.elements.length > 0) return refuse(path, "a tuple")
  return checksOf(ast, path).reduce(arrayCheck(path), z.array(convert(item, `${path}[]`)))
}

interface Check {
  readonly id: string
  readonly payload: unknown
}

const REPRESENTED = /^effect\/schema\//

/** The checks of a schema, by Effect's ids. Throws `EffectToZodError` for a custom check, which has none. */
const checksOf = (ast: SchemaAST.AST, path: string): ReadonlyArray<Check> => (ast.checks ?? []).flatMap(flat(path))

const flat =
  (path: string) =>
  (check: SchemaAST.Check<unknown>): ReadonlyArray<Check> => {
    if (check._tag === "FilterGroup") return check.checks.flatMap(flat(path))
    const representation = check.annotations?.["representation"] as Partial<Check> | undefined // asserted by the next line
    if (typeof representation?.id !== "string" || !REPRESENTED.test(representation.id))
      return refuse(path, "checked by code of its own")
    return [{ id: representation.id.replace(REPRESENTED, ""), payload: representation.payload }]
  }

const unchecked = (ast: SchemaAST.AST, path: string, made: z.ZodType): z.ZodType =>
  ast.checks === undefined ? made : refuse(path, `a ${ast._tag} with checks`)

/** A bound in a check's payload; Effect's own constructors put numbers there. */
const bound = (check: Check, name: string): number => (check.payload as Record<string, number>)[name]!

const lengths = (check: Check): { readonly min?: number; readonly max?: number } | undefined => {
  if (check.id === "isMinLength") return { min: bound(check, "minLength") }
  if (check.id === "isMaxLength") return { max: bound(check, "maxLength") }
  if (check.id === "isBetweenLength") return { min: bound(check, "minimum"), max: bound(check, "maximum") }
  return undefined
}

const stringCheck =
  (path: string) =>
  (made: z.ZodString, check: Check): z.ZodString => {
    if (check.id === "isPattern") {
      const { source, flags } = check.payload as { readonly source: string; readonly flags: string } // isPattern's own
      return made.regex(new RegExp(source, flags))
    }
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = lengths(check) ?? refuse(path, `checked by ${check.id}`)
    const bounds = {
      ...(min > 0 ? { minLength: min } : {}),
      ...(max < Number.MAX_SAFE_INTEGER ? { maxLength: max } : {}),
    }
    return made
      .refine((text) => text.length >= min && text.length <= max, { error: `expected ${min} to ${max} UTF-16 units` })
      .meta({ ...made.meta(), ...bounds })
  }

const numberCheck =
  (path: string) =>
  (made: z.ZodNumber, check: Check): z.ZodNumber => {
    switch (check.id) {
      case "isFinite":
        return made
      case "isInt":
        return made.int()
      case "isGreaterThanOrEqualTo":
        return made.min(bound(check, "minimum"))
      case "isLessThanOrEqualTo":
        return made.max(bound(check, "maximum"))
      case "isBetween":
        return between(made, check)
      case "isGreaterThan":
        return made.gt(bound(check, "exclusiveMinimum"))
      case "isLessThan":
        return made.lt(bound(check, "exclusiveMaximum"))
      default:
        return refuse(path, `checked by ${check.id}`)
    }
  }

const between = (made: z.ZodNumber, check: Check): z.ZodNumber => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = check.payload as {
    readonly minimum: number
    readonly maximum: number
    readonly exclusiveMinimum?: boolean
    readonly exclusiveMaximum?: boolean
  } // isBetween's own
  const low = exclusiveMinimum === true ? made.gt(minimum) : made.min(minimum)
  return exclusiveMaximum === true ? low.lt(maximum) : low.max(maximum)
}

const arrayCheck =
  (path: string) =>
  (made: z.ZodArray<z.ZodType>, check: Check): z.ZodArray<z.ZodType> => {
    const { min, max } = lengths(check) ?? refuse(path, `checked by ${check.id}`)
    const low = min === undefined ? made : made.min(min)
    return max === undefined ? low : low.max(max)
  }
