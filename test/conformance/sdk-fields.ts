// Lists the fields that the SDK sends: those in our schemas, and those in the SDK's own text.
import fs from "node:fs"
import path from "node:path"
import type { SchemaAST } from "effect"
import type { FieldRules } from "../../src/schemas/sdk/status/field-rules.ts"

/** Every field of a schema, by path; `*` means any key or index. */
export const pathsOf = (ast: SchemaAST.AST, at = ""): ReadonlyArray<string> => {
  const below = (name: string) => (at === "" ? name : `${at}.${name}`)
  switch (ast._tag) {
    case "Objects":
      if (ast.propertySignatures.length > 0) {
        return ast.propertySignatures.flatMap(({ name, type }) => {
          const field = below(String(name))
          return [field, ...pathsOf(type, field)]
        })
      }
      return ast.indexSignatures.flatMap(({ type }) => pathsOf(type, below("*")))
    case "Arrays":
      return [...ast.elements, ...ast.rest].flatMap((type) => pathsOf(type, below("*")))
    case "Union":
      return ast.types.flatMap((type) => pathsOf(type, at))
    case "Declaration":
      return ast.typeParameters.flatMap((type) => pathsOf(type, at))
    default:
      return []
  }
}

/** Whether a path has a rule, or is inside a field that a rule accepts or refuses as a whole. */
export const isClassified = (rules: FieldRules, field: string): boolean => {
  const steps = field.split(".")
  return steps.some((_, index) => {
    const above = steps.slice(0, index + 1).join(".")
    const rule = rules[above]
    if (rule === undefined) return false
    return (
      above === field || rule.status === "refused" || !Object.keys(rules).some((known) => known.startsWith(`${above}.`))
    )
  })
}

const ROOT = path.resolve(import.meta.dirname, "../..")
export const readText = (file: string): string => fs.readFileSync(path.join(ROOT, file), "utf8")
const SDK = "node_modules/@anthropic-ai/claude-agent-sdk"
const dts = readText(`${SDK}/sdk.d.ts`).replace(/\/\*[\s\S]*?\*\//g, "")

/** The names of the top-level fields of a type of the SDK. */
export const fieldsOf = (type: string): ReadonlyArray<string> => {
  const start = new RegExp(`(?:type ${type} = |interface ${type} (?:extends [^{]+)?)\\{`).exec(dts)
  if (start === null) throw new Error(`the SDK has no type ${type}`)
  const names: Array<string> = []
  let depth = 1
  for (const line of dts.slice(start.index + start[0].length).split("\n")) {
    const field = depth === 1 ? /^\s*(?:readonly )?['"]?([\w$-]+)['"]?\??:/.exec(line)?.[1] : undefined
    if (field !== undefined) names.push(field)
    depth += (line.match(/[{([]/g) ?? []).length - (line.match(/[})\]]/g) ?? []).length
    if (depth < 1) break
  }
  return names
}

/** The keys of the object that the SDK's client builds for `initialize`. */
export const initializeFieldsSent = (): ReadonlyArray<string> => {
  const source = readText(`${SDK}/sdk.mjs`)
  const start = source.indexOf('{subtype:"initialize",hooks:')
  const text = source.slice(start, source.indexOf("}}", start))
  return [...text.matchAll(/[,{](\w+):(?!\d)/g)].flatMap(([, name]) =>
    name === undefined || name === "subtype" ? [] : [name],
  )
}
