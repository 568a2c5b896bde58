// Receives an author's Effect Schema; returns every violation of profile v2, with its path.
// Invariant: a schema without issues projects to JSON Schema and decodes values with no difference between the two.
//
// The profile: an object at the root; objects, strings (pattern, lengths), numbers and integers (minimum, maximum),
// booleans, arrays of one item type (lengths), string literals, unions that are not empty, optional keys.
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { readChecks } from "./constraints.ts"
import type { SchemaIssueAt } from "./errors.ts"

/** Every violation of the profile; empty when the schema is inside it. */
export const profileIssues = (schema: Schema.Top): ReadonlyArray<SchemaIssueAt> => {
  const issues: Array<SchemaIssueAt> = []
  if (!SchemaAST.isObjects(schema.ast)) issues.push({ path: "$", issue: "root-object-required" })
  visit({ ast: schema.ast, author: schema, path: "$" }, (path, issue) => {
    if (!issues.some((known) => known.path === path && known.issue === issue)) issues.push({ path, issue })
  })
  return issues
}

/** A node, with the author's schema for it if known: only that shows a brand. */
interface Node {
  readonly ast: SchemaAST.AST
  readonly author: unknown
  readonly path: string
}

type Report = (path: string, issue: string) => void

const visit = ({ ast, author: wrapped, path }: Node, report: Report): void => {
  const { author, branded } = unwrap(wrapped)
  if (branded) report(path, "brand-unsupported")
  annotationIssues(ast).forEach((issue) => report(path, issue))
  if (ast.encoding !== undefined) {
    // A field that is optional when encoded and required when decoded has a default.
    const filled = ast.context?.isOptional !== true && ast.encoding.some(({ to }) => to.context?.isOptional === true)
    return report(path, filled ? "default-unsupported" : "transformation-unsupported")
  }
  if ("encodingChecks" in ast && ast.encodingChecks !== undefined) report(path, "refinement-unsupported")
  const checks = (kind: "string" | "number" | "array"): void =>
    readChecks(ast.checks, kind).issues.forEach((issue) => report(path, issue))
  const noChecks = (): void => {
    if (ast.checks !== undefined) report(path, "refinement-unsupported")
  }
  switch (ast._tag) {
    case "String":
      return checks("string")
    case "Number":
      return checks("number")
    case "Boolean":
      return noChecks()
    case "Literal":
      if (typeof ast.literal !== "string") report(path, "non-string-literal-unsupported")
      return noChecks()
    case "Arrays": {
      checks("array")
      const [item, ...more] = ast.rest
      if (ast.elements.length > 0 || more.length > 0) return report(path, "tuple-unsupported")
      if (item === undefined) return report(path, "array-item-missing")
      return visit({ ast: item, author: part(author, "value"), path: `${path}[]` }, report)
    }
    case "Union":
      noChecks()
      if (ast.types.length === 0) return report(path, "empty-union-unsupported")
      if (ast.options?.mode === "oneOf") report(path, "one-of-union-unsupported")
      return ast.types.forEach((member, index) =>
        visit({ ast: member, author: part(part(author, "members"), index), path: `${path}|${index}` }, report),
      )
    case "Objects":
      noChecks()
      return visitObject(ast, author, path, report)
    default:
      return report(path, UNSUPPORTED[ast._tag] ?? `${ast._tag}-unsupported`)
  }
}

const UNSUPPORTED: Readonly<Record<string, string>> = {
  Null: "null-literal-unsupported",
  Suspend: "recursive-schema-unsupported",
  TemplateLiteral: "template-literal-unsupported",
  Declaration: "declaration-schema-unsupported",
}

const visitObject = (ast: SchemaAST.Objects, author: unknown, path: string, report: Report): void => {
  if (ast.indexSignatures.length > 0) report(path, "index-signature-unsupported")
  // Effect reads an object type without properties as "anything but null"; `decode` closes only the root.
  else if (ast.propertySignatures.length === 0 && path !== "$") report(path, "empty-object-unsupported")
  for (const { name, type } of ast.propertySignatures) {
    if (typeof name !== "string") report(path, "non-string-property-unsupported")
    // Decoders also see inherited names: every object would have a `constructor`.
    else if (name in Object.prototype) report(path, "reserved-property-unsupported")
    else visit({ ast: type, author: part(part(author, "fields"), name), path: `${path}.${name}` }, report)
  }
}

const part = (value: unknown, key: string | number): unknown =>
  (typeof value === "object" && value !== null) || typeof value === "function" ? Reflect.get(value, key) : undefined

/** Unwraps `optionalKey`, `mutableKey` and brands down to the schema that has fields, members or an item. */
const unwrap = (schema: unknown): { readonly author: unknown; readonly branded: boolean } => {
  let author = schema
  let branded = false
  while (part(author, "schema") !== undefined) {
    if (typeof part(author, "identifier") === "string") branded = true
    author = part(author, "schema")
  }
  return { author, branded }
}

/** Annotations that would add keywords to the JSON Schema that the decoder does not check. */
const RAW = [
  "jsonSchema",
  "toJsonSchema",
  "format",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "readOnly",
  "writeOnly",
]

const annotationIssues = (ast: SchemaAST.AST): ReadonlyArray<string> => {
  const issues: Array<string> = []
  // The library's own checks have a `toJsonSchema`, which `readChecks` compares.
  const onChecks = (ast.checks ?? []).map(({ annotations }) => ({ ...annotations, toJsonSchema: undefined }))
  for (const annotations of [ast.annotations, ast.context?.annotations, ...onChecks]) {
    if (annotations === undefined) continue
    if (RAW.some((key) => part(annotations, key) !== undefined)) issues.push("raw-json-schema-unsupported")
    if (part(annotations, "default") !== undefined) issues.push("default-unsupported")
    // The closed JSON Schema has no examples: they would be dropped silently.
    if (part(annotations, "examples") !== undefined) issues.push("examples-unsupported")
  }
  if (ast.context?.constructorDefault !== undefined) issues.push("default-unsupported")
  return issues
}
