// Receives a schema and a value that it accepts; returns every required field of the value, at every depth, with a value
// that the field's own schema refuses. The schema defines what is required, not a list kept by hand.
import { Schema, SchemaAST } from "effect"

export interface RequiredField {
  readonly path: ReadonlyArray<string | number>
  /** A value of a wrong type; undefined if every value is valid. */
  readonly wrong: { readonly value: unknown } | undefined
  /** The field selects the variant of a union, and no variant accepts unknown values. */
  readonly decidesVariant: boolean
}

const WRONG: ReadonlyArray<unknown> = [42, "§ wrong", { wrong: true }, [{ wrong: true }], null]

const accepts = (ast: SchemaAST.AST, value: unknown): boolean => Schema.is(Schema.make(ast))(value)

export const requiredFields = (
  ast: SchemaAST.AST,
  value: unknown,
  path: ReadonlyArray<string | number> = [],
  variant = false,
): ReadonlyArray<RequiredField> => {
  if (SchemaAST.isUnion(ast)) {
    const objects = ast.types.filter(SchemaAST.isObjects)
    const closed = objects.length > 0 && !objects.some((one) => accepts(one, { type: "§ not described" }))
    const chosen = ast.types.find((one) => accepts(one, value))
    return chosen === undefined ? [] : requiredFields(chosen, value, path, closed)
  }
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    return value.flatMap((item, index) => {
      const type = ast.elements[index] ?? ast.rest[0]
      return type === undefined ? [] : requiredFields(type, item, [...path, index])
    })
  }
  if (!SchemaAST.isObjects(ast) || typeof value !== "object" || value === null) return []
  const named = ast.propertySignatures.flatMap(({ name, type }) => {
    const key = String(name)
    if (!Object.hasOwn(value, key)) return []
    const below = requiredFields(type, Reflect.get(value, key), [...path, key])
    if (SchemaAST.isOptional(type)) return below
    const wrong = WRONG.find((one) => !accepts(type, one))
    const field = {
      path: [...path, key],
      wrong: wrong === undefined ? undefined : { value: wrong },
      decidesVariant: variant && SchemaAST.isLiteral(type),
    }
    return [field, ...below]
  })
  const described = new Set(ast.propertySignatures.map(({ name }) => String(name)))
  const others = Object.entries(value).filter(([key]) => !described.has(key))
  const listed = ast.indexSignatures.flatMap(({ type }) =>
    others.flatMap(([key, item]) => requiredFields(type, item, [...path, key])),
  )
  return [...named, ...listed]
}
