// Receives an Effect Schema inside the profile; returns its JSON Schema, in which every object is closed.
// Invariant: it accepts exactly what the schema decodes. Lengths count UTF-16 units, as JavaScript and Effect do.
import type * as SchemaAST from "effect/SchemaAST"
import { defined } from "../json/defined.ts"
import { readChecks } from "./constraints.ts"

interface Annotations {
  readonly title?: string
  readonly description?: string
}
export interface StringNode extends Annotations {
  readonly type: "string"
  readonly enum?: ReadonlyArray<string>
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}
export interface NumberNode extends Annotations {
  readonly type: "number" | "integer"
  readonly minimum?: number
  readonly maximum?: number
}
export interface BooleanNode extends Annotations {
  readonly type: "boolean"
}
export interface ArrayNode extends Annotations {
  readonly type: "array"
  readonly items: ClosedNode
  readonly minItems?: number
  readonly maxItems?: number
}
export interface AnyOfNode extends Annotations {
  readonly anyOf: ReadonlyArray<ClosedNode>
}
export interface ObjectNode extends Annotations {
  readonly type: "object"
  readonly properties: Readonly<Record<string, ClosedNode>>
  readonly required: ReadonlyArray<string>
  readonly additionalProperties: false
}
export type ClosedNode = StringNode | NumberNode | BooleanNode | ArrayNode | AnyOfNode | ObjectNode

/** A JSON Schema as it is sent. */
export type JsonObject = { readonly [key: string]: unknown }

/** The JSON Schema of a node for which `profileIssues` found no issue. */
const closedJsonSchema = (ast: SchemaAST.AST): ClosedNode => {
  const annotations = annotationsOf(ast)
  switch (ast._tag) {
    case "String": {
      const { minLength, maxLength, pattern } = readChecks(ast.checks, "string")
      return defined({ type: "string", ...annotations, minLength, maxLength, pattern: pattern?.source })
    }
    case "Number":
      return numberNode(ast, annotations)
    case "Boolean":
      return { type: "boolean", ...annotations }
    case "Literal":
      return { type: "string", ...annotations, enum: [String(ast.literal)] }
    case "Arrays": {
      const { minLength, maxLength } = readChecks(ast.checks, "array")
      const items = closedJsonSchema(ast.rest[0]!) // the profile requires an item
      return defined({ type: "array", ...annotations, items, minItems: minLength, maxItems: maxLength })
    }
    case "Union": {
      const literals = ast.types.map((member) => (member._tag === "Literal" ? String(member.literal) : undefined))
      return literals.every((literal) => literal !== undefined)
        ? { type: "string", ...annotations, enum: [...new Set(literals)] }
        : { ...annotations, anyOf: ast.types.map(closedJsonSchema) }
    }
    case "Objects":
      return objectNode(ast, annotations)
    default:
      throw new Error(`${ast._tag} is outside the AgentSchema profile`)
  }
}

/** The JSON Schema of the root. */
export const closedObject = (ast: SchemaAST.Objects): ObjectNode => objectNode(ast, annotationsOf(ast))

const objectNode = (ast: SchemaAST.Objects, annotations: Annotations): ObjectNode => ({
  type: "object",
  ...annotations,
  properties: Object.fromEntries(
    ast.propertySignatures.map(({ name, type }) => [String(name), closedJsonSchema(type)] as const),
  ),
  required: ast.propertySignatures
    .filter(({ type }) => type.context?.isOptional !== true)
    .map(({ name }) => String(name)),
  additionalProperties: false,
})

/** Effect's integers are safe integers: a missing minimum or maximum is that of the safe integers. */
const numberNode = (ast: SchemaAST.Number, annotations: Annotations): NumberNode => {
  const { integer, minimum, maximum } = readChecks(ast.checks, "number")
  if (!integer) return defined({ type: "number", ...annotations, minimum, maximum })
  return {
    type: "integer",
    ...annotations,
    minimum: Math.max(minimum ?? Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
    maximum: Math.min(maximum ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  }
}

/** Title and description: the key's own if it has them, otherwise the last ones annotated on the type or its checks. */
const annotationsOf = (ast: SchemaAST.AST): Annotations => {
  const last = (ast.checks ?? []).map(({ annotations }) => annotations).toReversed()
  const sources: ReadonlyArray<object | undefined> = [ast.context?.annotations, ...last, ast.annotations]
  const find = (key: string): string | undefined => {
    for (const source of sources) {
      const text: unknown = source === undefined ? undefined : Reflect.get(source, key)
      if (typeof text === "string") return text
    }
    return undefined
  }
  return defined({ title: find("title"), description: find("description") })
}
