// Runs a jq filter on a value; yields every result, with its path in the input if paths are tracked.
// Invariant: every run ends: its steps, its depth and the sizes of its values are limited.
import type { Node, Pattern } from "./filter.ts"
import { isArray, isObject, type Json, shownType, writeJson } from "./json.ts"
import { compute, LimitError, MAX_ELEMENTS, type Path, raise, RaisedError, sizeOf, sliceOf, valueAt } from "./paths.ts"
import { labelOf, matched, namesOf, type Scope, variable, withArgument } from "./scope.ts"
import { computed, isTrue, type Item, type Items } from "./item.ts"
import { ProgramSteps } from "../../program-steps.ts"
import { assigned, folded } from "./updates.ts"

const MAX_DEPTH = 1000
/** Maximum number of characters in the strings that one run creates. */
const MAX_MADE = 64 << 20

/** A filter that is an argument of a built-in function. */
export type Argument = (item: Item) => Items

export type BuiltIn = (machine: Machine, input: Item, args: ReadonlyArray<Argument>) => Items

class Broken extends Error {
  readonly label: Scope

  constructor(label: Scope) {
    super("break")
    this.label = label
  }
}

const below = ({ value, path }: Item, key: Json): Item => {
  if (path === undefined) return raise(`Invalid path expression with result ${writeJson(value).slice(0, 30)}`)
  return { value: valueAt(value, key), path: path === null ? null : [...path, key] }
}

export class Machine {
  readonly #builtIns: ReadonlyMap<string, BuiltIn>
  readonly #library: ReadonlyMap<string, Extract<Scope, { kind: "filter" }>>
  readonly #steps: ProgramSteps
  #made = 0
  #depth = 0

  constructor(
    builtIns: ReadonlyMap<string, BuiltIn>,
    library: ReadonlyMap<string, Extract<Scope, { kind: "filter" }>>,
    /** Called regularly while the filter runs; may end it by throwing. */
    tick: () => void,
  ) {
    this.#builtIns = builtIns
    this.#library = library
    this.#steps = new ProgramSteps(tick, (most) => new LimitError(`too many iterations (${most})`))
  }

  step(): void {
    this.#steps.take()
  }

  /** Counts characters that were reread by a pattern that searches for all its matches. */
  get reads(): (characters: number) => void {
    return this.#steps.reads
  }

  /** Counts a copied value with this many items. */
  copied(items: number): void {
    this.#steps.items(items)
  }

  /** Computes an arithmetic operation and counts its result. Concatenated texts share memory; a repeated text is a new one. */
  #sum(operator: string, left: Json, right: Json): Json {
    const sum = compute(operator, left, right)
    if (typeof sum !== "string") this.copied(sizeOf(sum))
    else this.#made += operator === "*" ? sum.length : Math.min(String(left).length, String(right).length)
    if (this.#made > MAX_MADE) throw new LimitError("string length limit exceeded")
    return sum
  }

  *run(node: Node, scope: Scope, input: Item): Items {
    this.step()
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new LimitError(`query depth limit exceeded (${MAX_DEPTH})`)
    const results = this.#results(node, scope, input)
    let inside = true
    try {
      for (;;) {
        const { done, value } = results.next()
        if (done === true) return
        this.#depth -= 1
        inside = false
        yield value
        this.#depth += 1
        inside = true
      }
    } finally {
      if (inside) this.#depth -= 1
      results.return(undefined)
    }
  }

  *values(node: Node, scope: Scope, { value }: Item): Generator<Json> {
    for (const item of this.run(node, scope, { value, path: null })) yield item.value
  }

  *#results(node: Node, scope: Scope, input: Item): Items {
    switch (node.type) {
      case "identity":
        return yield input
      case "literal":
        return yield computed(node.value, input)
      case "variable":
        return yield computed(variable(node.name, scope), input)
      case "pipe":
        for (const item of this.run(node.left, scope, input)) yield* this.run(node.right, scope, item)
        return
      case "comma":
        yield* this.run(node.left, scope, input)
        return yield* this.run(node.right, scope, input)
      case "index":
        for (const target of this.run(node.target, scope, input))
          for (const key of this.values(node.key, scope, input)) yield below(target, key)
        return
      case "slice":
        return yield* this.#slice(node, scope, input)
      case "each":
        for (const item of this.run(node.target, scope, input)) yield* this.each(item)
        return
      case "call":
        return yield* this.#call(node, scope, input)
      case "define":
        return yield* this.run(node.rest, { kind: "filter", ...pick(node), outer: scope }, input)
      case "bind":
        for (const value of this.values(node.source, scope, input))
          yield* this.bound(node.patterns, value, scope, (inner) => this.run(node.body, inner, input), input)
        return
      case "if":
        for (const condition of this.values(node.condition, scope, input)) {
          if (isTrue(condition)) yield* this.run(node.yes, scope, input)
          else if (node.otherwise === null) yield input
          else yield* this.run(node.otherwise, scope, input)
        }
        return
      case "try":
        return yield* this.#try(node, scope, input)
      case "alternative":
        return yield* this.#alternative(node, scope, input)
      case "assign":
        return yield* assigned(this, node, scope, input)
      case "reduce":
      case "foreach":
        return yield* folded(this, node, scope, input)
      case "label":
        return yield* this.#label(node, scope, input)
      case "break":
        throw new Broken(labelOf(node.name, scope))
      default:
        for (const value of this.#computed(node, scope, input)) yield computed(value, input)
    }
  }

  *each(item: Item): Items {
    const { value } = item
    if (isArray(value)) for (let at = 0; at < value.length; at += 1) yield below(item, at)
    else if (isObject(value)) for (const key of value.keys()) yield below(item, key)
    else raise(`Cannot iterate over ${value === null ? "null" : shownType(value)}`)
  }

  *#slice(node: Extract<Node, { type: "slice" }>, scope: Scope, input: Item): Items {
    for (const target of this.run(node.target, scope, input)) {
      for (const to of node.to === null ? [null] : this.values(node.to, scope, input)) {
        for (const from of node.from === null ? [null] : this.values(node.from, scope, input)) {
          if (target.path === null) yield { value: sliceOf(target.value, from, to), path: null }
          else
            yield below(
              target,
              new Map([
                ["start", from],
                ["end", to],
              ]),
            )
        }
      }
    }
  }

  *#call({ name, args }: Extract<Node, { type: "call" }>, scope: Scope, input: Item): Items {
    for (let at = scope; at !== null; at = at.outer) {
      if (at.kind === "argument" && args.length === 0 && at.name === name)
        return yield* this.run(at.body, at.scope, input)
      if (at.kind === "filter" && at.name === name && at.params.length === args.length)
        return yield* this.#enter(at, args, scope, input)
    }
    const own = this.#library.get(`${name}/${args.length}`)
    if (own !== undefined) return yield* this.#enter(own, args, scope, input)
    const builtIn = this.#builtIns.get(`${name}/${args.length}`)
    if (builtIn === undefined) return raise(`${name}/${args.length} is not defined`)
    yield* builtIn(
      this,
      input,
      args.map((arg) => (item: Item) => this.run(arg, scope, item)),
    )
  }

  *#enter(filter: Extract<Scope, { kind: "filter" }>, args: ReadonlyArray<Node>, scope: Scope, input: Item): Items {
    let scopes: Iterable<Scope> = [filter]
    filter.params.forEach((param, at) => {
      const body = args[at]
      if (body === undefined) return
      const outer = scopes
      scopes = withArgument(outer, param, body, scope, { machine: this, input })
    })
    for (const inner of scopes) yield* this.run(filter.body, inner, input)
  }

  *bound(
    patterns: ReadonlyArray<Pattern>,
    value: Json,
    scope: Scope,
    body: (scope: Scope) => Items,
    input: Item,
  ): Items {
    const names = patterns.length < 2 ? [] : patterns.flatMap(namesOf)
    let base = scope
    for (const name of names) base = { kind: "variable", name, value: null, outer: base }
    for (const [at, pattern] of patterns.entries()) {
      try {
        for (const inner of matched(pattern, value, base, { machine: this, input })) yield* body(inner)
        return
      } catch (error) {
        if (!(error instanceof RaisedError) || at === patterns.length - 1) throw error
      }
    }
  }

  *#try({ body, handler }: Extract<Node, { type: "try" }>, scope: Scope, input: Item): Items {
    const results = this.run(body, scope, input)
    for (;;) {
      let next
      try {
        next = results.next()
      } catch (error) {
        if (!(error instanceof RaisedError)) throw error
        if (handler !== null) yield* this.run(handler, scope, computed(error.value, input))
        return
      }
      if (next.done === true) return
      yield next.value
    }
  }

  *#alternative({ left, right }: { readonly left: Node; readonly right: Node }, scope: Scope, input: Item): Items {
    let found = false
    for (const item of this.#try({ type: "try", body: left, handler: null }, scope, input)) {
      if (!isTrue(item.value)) continue
      found = true
      yield item
    }
    if (!found) yield* this.run(right, scope, input)
  }

  paths(body: Argument, value: Json): ReadonlyArray<Path> {
    const paths: Array<Path> = []
    for (const { value: found, path } of body({ value, path: [] })) {
      if (path === undefined || path === null)
        return raise(`Invalid path expression with result ${writeJson(found).slice(0, 30)}`)
      if (paths.length >= MAX_ELEMENTS) throw new LimitError("array element limit exceeded")
      paths.push(path)
    }
    return paths
  }

  *#label({ name, body }: Extract<Node, { type: "label" }>, scope: Scope, input: Item): Items {
    const label: Scope = { kind: "label", name, outer: scope }
    try {
      yield* this.run(body, label, input)
    } catch (error) {
      if (!(error instanceof Broken) || error.label !== label) throw error
    }
  }

  *#computed(node: Node, scope: Scope, input: Item): Generator<Json> {
    switch (node.type) {
      case "array": {
        const items: Array<Json> = []
        if (node.body !== null)
          for (const value of this.values(node.body, scope, input)) {
            if (items.length >= MAX_ELEMENTS) throw new LimitError("array element limit exceeded")
            items.push(value)
          }
        return yield items
      }
      case "object":
        return yield* this.#object(node.fields, new Map(), scope, input)
      case "compute":
        for (const right of this.values(node.right, scope, input))
          for (const left of this.values(node.left, scope, input)) yield this.#sum(node.operator, left, right)
        return
      case "and":
      case "or":
        for (const left of this.values(node.left, scope, input)) {
          if (isTrue(left) === (node.type === "or")) yield node.type === "or"
          else for (const right of this.values(node.right, scope, input)) yield isTrue(right)
        }
        return
      case "negate":
        for (const value of this.values(node.body, scope, input))
          yield typeof value === "number" ? -value : raise(`${shownType(value)} cannot be negated`)
        return
      case "format":
        return yield* this.#format(node.name, input.value)
      case "text":
        yield* this.#text(node.parts, node.format, scope, input)
    }
  }

  *#object(
    fields: Extract<Node, { type: "object" }>["fields"],
    made: ReadonlyMap<string, Json>,
    scope: Scope,
    input: Item,
  ): Generator<Json> {
    const [field, ...rest] = fields
    if (field === undefined) return yield made
    for (const key of this.values(field[0], scope, input)) {
      if (typeof key !== "string") return raise(`Object keys must be strings`)
      const node = field[1]
      const value: Node =
        node.type === "index" && node.key === field[0] ? { ...node, key: { type: "literal", value: key } } : node
      for (const found of this.values(value, scope, input))
        yield* this.#object(rest, new Map([...made, [key, found]]), scope, input)
    }
  }

  *#format(name: string, value: Json): Generator<Json> {
    const builtIn = this.#builtIns.get(name)
    if (builtIn === undefined) return raise(`${name.slice(1)} is not a valid format`)
    for (const item of builtIn(this, { value, path: null }, [])) yield item.value
  }

  *#text(parts: ReadonlyArray<string | Node>, format: string | null, scope: Scope, input: Item): Generator<string> {
    const [part, ...rest] = parts
    if (part === undefined) return yield ""
    if (typeof part === "string") {
      for (const end of this.#text(rest, format, scope, input)) yield part + end
      return
    }
    for (const end of this.#text(rest, format, scope, input))
      for (const value of this.values(part, scope, input))
        for (const shownAs of this.#format(format ?? "@text", value)) yield String(shownAs) + end
  }
}

const pick = ({ name, params, body }: Extract<Node, { type: "define" }>) => ({ name, params, body })
