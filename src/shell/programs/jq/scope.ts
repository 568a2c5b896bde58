// Resolves the names in a jq filter: variables, filters, arguments and labels; binds the patterns of `as`.
// Invariant: a scope is immutable; a binding creates a new scope that refers to it.
import type { Node, Pattern } from "./filter.ts"
import { isArray, type Json, typeOf } from "./json.ts"
import { raise, valueAt } from "./paths.ts"
import type { Item } from "./item.ts"
import type { Machine } from "./run.ts"

/** A linked list of bindings; the first one with a matching name applies. */
export type Scope =
  | null
  | { readonly kind: "variable"; readonly name: string; readonly value: Json; readonly outer: Scope }
  | { readonly kind: "label"; readonly name: string; readonly outer: Scope }
  | {
      readonly kind: "filter"
      readonly name: string
      readonly params: ReadonlyArray<string>
      readonly body: Node
      readonly outer: Scope
    }
  | {
      readonly kind: "argument"
      readonly name: string
      readonly body: Node
      readonly scope: Scope
      readonly outer: Scope
    }

/** The context in which a filter is evaluated. */
export interface Surroundings {
  readonly machine: Machine
  readonly input: Item
}

export const variable = (name: string, scope: Scope): Json => {
  for (let at = scope; at !== null; at = at.outer) if (at.kind === "variable" && at.name === name) return at.value
  return raise(`${name} is not defined`)
}

export const labelOf = (name: string, scope: Scope): Scope => {
  for (let at = scope; at !== null; at = at.outer) if (at.kind === "label" && at.name === name) return at
  return raise(`$*label-${name.slice(1)} is not defined`)
}

/** Binds an argument. A parameter `f` is a filter; `$f` is bound to each of its values, and also as a filter of that name. */
export function* withArgument(
  outers: Iterable<Scope>,
  param: string,
  body: Node,
  scope: Scope,
  { machine, input }: Surroundings,
): Generator<Scope> {
  for (const outer of outers) {
    if (!param.startsWith("$")) {
      yield { kind: "argument", name: param, body, scope, outer }
      continue
    }
    for (const value of machine.values(body, scope, input)) {
      const literal: Node = { type: "literal", value }
      const filter: Scope = { kind: "argument", name: param.slice(1), body: literal, scope: null, outer }
      yield { kind: "variable", name: param, value, outer: filter }
    }
  }
}

type Step = (scope: Scope) => Generator<Scope>

function* all(steps: ReadonlyArray<Step>, scope: Scope): Generator<Scope> {
  const [first, ...rest] = steps
  if (first === undefined) return yield scope
  for (const inner of first(scope)) yield* all(rest, inner)
}

/** Binds a pattern to a value; yields a scope for each way to do so. */
export function* matched(pattern: Pattern, value: Json, scope: Scope, around: Surroundings): Generator<Scope> {
  if (pattern.type === "name") return yield { kind: "variable", name: pattern.name, value, outer: scope }
  if (pattern.type === "items") {
    if (value !== null && !isArray(value)) raise(`Cannot index ${typeOf(value)} with number`)
    const steps = pattern.items.map(
      (item, at): Step =>
        (outer) =>
          matched(item, valueAt(value, at), outer, around),
    )
    return yield* all(steps, scope)
  }
  const steps = pattern.fields.map(
    (field): Step =>
      (outer) =>
        ofField(field, value, outer, around),
  )
  yield* all(steps, scope)
}

type Field = Extract<Pattern, { type: "fields" }>["fields"][number]

function* ofField(
  { key, name, value: inner }: Field,
  value: Json,
  scope: Scope,
  around: Surroundings,
): Generator<Scope> {
  for (const found of around.machine.values(key, scope, around.input)) {
    if (typeof found !== "string") return raise(`Cannot index ${typeOf(value)} with ${typeOf(found)}`)
    const field = valueAt(value, found)
    const outer: Scope = name === null ? scope : { kind: "variable", name, value: field, outer: scope }
    if (inner === null) yield outer
    else yield* matched(inner, field, outer, around)
  }
}

export const namesOf = (pattern: Pattern): ReadonlyArray<string> => {
  if (pattern.type === "name") return [pattern.name]
  if (pattern.type === "items") return pattern.items.flatMap(namesOf)
  return pattern.fields.flatMap(({ name, value }) => [
    ...(name === null ? [] : [name]),
    ...(value === null ? [] : namesOf(value)),
  ])
}
