// Receives what a schema says against a value; returns its issues, of a union only those of the member that was meant.
// Invariant: the member is the one that the value comes closest to, and a tag that no member has is named as the field.
import { type SchemaAST, SchemaIssue } from "effect"

export interface FieldIssue {
  readonly path: ReadonlyArray<unknown>
  readonly message: string
}

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

const MISSING = "Missing key"
export const UNKNOWN_FIELD = "Expected no excess property"

export const fieldIssues = (issue: SchemaIssue.Issue, value: unknown): ReadonlyArray<FieldIssue> => {
  if (issue._tag !== "AnyOf") return standard(issue).issues.map(({ path = [], message }) => ({ path, message }))
  if (issue.issues.length === 0)
    return [tagIssue(issue.ast, value) ?? { path: [], message: standard(issue).issues[0]?.message ?? "" }]
  const members = issue.issues.map((member) => fieldIssues(member, value))
  const least = Math.min(...members.map(distance))
  const closest = members.filter((issues) => distance(issues) === least).flat()
  return [...new Map(closest.map((one) => [JSON.stringify([one.path.map(String), one.message]), one])).values()]
}

/** A value of the wrong kind, or something deep inside, is nearer to what was meant than a field too few or too many. */
const distance = (issues: ReadonlyArray<FieldIssue>): number =>
  issues.reduce((sum, { path, message }) => {
    if (path.length === 0) return sum + 15
    if (path.length > 1) return sum + 1
    return sum + (message === MISSING ? 11 : message === UNKNOWN_FIELD ? 10 : 1)
  }, 0)

/** A value that has no member's tag: what is wrong with its tag. */
const tagIssue = ({ types }: SchemaAST.Union, value: unknown): FieldIssue | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const [first, ...others] = types.map(tagsOf)
  for (const [name, literal] of first ?? []) {
    if (!others.every((tags) => tags.has(name))) continue
    if (!Object.hasOwn(value, name)) return { path: [name], message: MISSING }
    const literals = new Set([literal, ...others.map((tags) => tags.get(name) ?? "")])
    return { path: [name], message: `Expected ${[...literals].join(" | ")}` }
  }
  return undefined
}

/** The fields of a struct that hold one fixed value, with that value as JSON. */
const tagsOf = (ast: SchemaAST.AST): ReadonlyMap<PropertyKey, string> =>
  new Map(
    ast._tag === "Objects"
      ? ast.propertySignatures.flatMap(({ name, type }) =>
          type._tag === "Literal" ? [[name, JSON.stringify(String(type.literal))] as const] : [],
        )
      : [],
  )
