// Assignments and folds of jq: `=`, `|=`, `+=`, `reduce` and `foreach`.
// Invariant: an assignment only changes the values at its paths.
import type { Node } from "./filter.ts"
import type { Json } from "./json.ts"
import { compute, deletePaths, getPath, type Owned, type Path, setPath, sizeOf } from "./paths.ts"
import { computed, isTrue, type Item, type Items } from "./item.ts"
import type { Machine } from "./run.ts"
import type { Scope } from "./scope.ts"

const firstOf = (values: Iterable<Json>): Json | undefined => {
  for (const value of values) return value
  return undefined
}

const changed = (operator: string, old: Json, given: Json): Json => {
  if (operator === "=") return given
  return operator === "//=" ? (isTrue(old) ? old : given) : compute(operator.slice(0, -1), old, given)
}

/** True for a node that has exactly one value, and whose value can't contain parts of the input. */
const isApart = (node: Node): boolean => {
  switch (node.type) {
    case "literal":
    case "variable":
      return true
    case "index":
      return isApart(node.target) && isApart(node.key)
    case "compute":
      return isApart(node.left) && isApart(node.right)
    case "array":
      return node.body === null || isApart(node.body)
    case "object":
      return node.fields.every(([key, value]) => isApart(key) && isApart(value))
    default:
      return false
  }
}

/** Runs an assignment. `kept` has the containers that earlier assignments to the same value own. */
export function* assigned(
  machine: Machine,
  { operator, left, right }: Extract<Node, { type: "assign" }>,
  scope: Scope,
  input: Item,
  kept?: Owned,
): Items {
  const { value } = input
  const paths = machine.paths((item) => machine.run(left, scope, item), value)
  if (operator === "|=") {
    const owned: Owned = new Set()
    let result = value
    const empty: Array<Path> = []
    for (const path of paths) {
      const old = getPath(result, path)
      // The update may keep a reference to its input.
      if (owned.has(old)) owned.clear()
      const first = firstOf(machine.values(right, scope, { value: old, path: null }))
      if (first === undefined) empty.push(path)
      else result = setPath(result, path, first, owned)
    }
    machine.copied(sizeOf(value))
    return yield computed(deletePaths(result, empty), input)
  }
  for (const given of machine.values(right, scope, input)) {
    const owned: Owned = kept ?? new Set()
    machine.copied(owned.has(value) ? 1 : sizeOf(value))
    let result = value
    for (const path of paths) result = setPath(result, path, changed(operator, getPath(result, path), given), owned)
    yield computed(result, input)
  }
}

export function* folded(
  machine: Machine,
  node: Extract<Node, { type: "reduce" | "foreach" }>,
  scope: Scope,
  input: Item,
): Items {
  const { source, patterns, start, update } = node
  for (const first of machine.run(start, scope, input)) {
    let state: Item | null = first
    const kept: Owned = new Set()
    const updated = (inner: Scope, from: Item): Items =>
      node.type === "reduce" && update.type === "assign" && update.operator !== "|=" && isApart(update.right)
        ? assigned(machine, update, inner, from, kept)
        : machine.run(update, inner, from)
    for (const value of machine.values(source, scope, input)) {
      const from: Item = state ?? computed(null, input)
      if (node.type === "reduce") state = null
      const updates = machine.bound(patterns, value, scope, (inner) => withScope(updated(inner, from), inner), input)
      for (const item of updates) {
        state = item
        if (node.type === "reduce") continue
        const { scope: inner } = item as Scoped
        if (node.extract === null) yield item
        else yield* machine.run(node.extract, inner, { value: item.value, path: item.path })
      }
    }
    if (node.type === "reduce") yield state ?? computed(null, input)
  }
}

interface Scoped extends Item {
  readonly scope: Scope
}

/** Adds to each result the scope in which it was produced; `foreach` evaluates its extraction in that scope. */
function* withScope(items: Items, scope: Scope): Generator<Scoped> {
  for (const item of items) yield { ...item, scope }
}
