// The syntax tree of a jq filter.
// Invariant: a node only represents source text, and contains no state of a run.
import type { Json } from "./json.ts"

export type Node =
  | { readonly type: "identity" }
  | { readonly type: "literal"; readonly value: Json }
  | { readonly type: "text"; readonly format: string | null; readonly parts: ReadonlyArray<string | Node> }
  | { readonly type: "format"; readonly name: string }
  | { readonly type: "index"; readonly target: Node; readonly key: Node }
  | { readonly type: "slice"; readonly target: Node; readonly from: Node | null; readonly to: Node | null }
  | { readonly type: "each"; readonly target: Node }
  | { readonly type: "try"; readonly body: Node; readonly handler: Node | null }
  | { readonly type: "array"; readonly body: Node | null }
  | { readonly type: "object"; readonly fields: ReadonlyArray<readonly [key: Node, value: Node]> }
  | { readonly type: "negate"; readonly body: Node }
  | { readonly type: "pipe" | "comma" | "alternative" | "and" | "or"; readonly left: Node; readonly right: Node }
  | { readonly type: "compute"; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly type: "assign"; readonly operator: string; readonly left: Node; readonly right: Node }
  | { readonly type: "if"; readonly condition: Node; readonly yes: Node; readonly otherwise: Node | null }
  | {
      readonly type: "reduce"
      readonly source: Node
      readonly patterns: ReadonlyArray<Pattern>
      readonly start: Node
      readonly update: Node
    }
  | {
      readonly type: "foreach"
      readonly source: Node
      readonly patterns: ReadonlyArray<Pattern>
      readonly start: Node
      readonly update: Node
      readonly extract: Node | null
    }
  | { readonly type: "bind"; readonly source: Node; readonly patterns: ReadonlyArray<Pattern>; readonly body: Node }
  | {
      readonly type: "define"
      readonly name: string
      readonly params: ReadonlyArray<string>
      readonly body: Node
      readonly rest: Node
    }
  | { readonly type: "call"; readonly name: string; readonly args: ReadonlyArray<Node> }
  | { readonly type: "variable"; readonly name: string }
  | { readonly type: "label"; readonly name: string; readonly body: Node }
  | { readonly type: "break"; readonly name: string }

/** The pattern of `as`: a variable, or patterns for the items and fields of a value. */
export type Pattern =
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "items"; readonly items: ReadonlyArray<Pattern> }
  | {
      readonly type: "fields"
      readonly fields: ReadonlyArray<{
        readonly key: Node
        readonly name: string | null
        readonly value: Pattern | null
      }>
    }
