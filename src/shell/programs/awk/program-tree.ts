// The syntax tree of an awk program.
export type Expression =
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "text"; readonly value: string }
  /** A pattern without an operator is matched against the record. */
  | { readonly type: "pattern"; readonly source: string }
  | Place
  | { readonly type: "group"; readonly body: Expression }
  | { readonly type: "assign"; readonly operator: string; readonly place: Place; readonly value: Expression }
  | { readonly type: "step"; readonly place: Place; readonly by: 1 | -1; readonly before: boolean }
  | { readonly type: "unary"; readonly operator: "!" | "-" | "+"; readonly body: Expression }
  | { readonly type: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: "choice"; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly type: "in"; readonly keys: ReadonlyArray<Expression>; readonly array: string }
  | { readonly type: "call"; readonly name: string; readonly args: ReadonlyArray<Expression> }
  | { readonly type: "builtin"; readonly name: string; readonly args: ReadonlyArray<Expression> }
  | {
      readonly type: "getline"
      readonly from: "main" | "file" | "command"
      readonly source: Expression | null
      readonly place: Place | null
    }

export type Place =
  | { readonly type: "variable"; readonly name: string }
  | { readonly type: "field"; readonly index: Expression }
  | { readonly type: "element"; readonly array: string; readonly keys: ReadonlyArray<Expression> }

export interface Output {
  readonly to: ">" | ">>" | "|"
  readonly name: Expression
}

export type Statement =
  | { readonly type: "expression"; readonly body: Expression }
  | {
      readonly type: "print"
      readonly formatted: boolean
      readonly args: ReadonlyArray<Expression>
      readonly output: Output | null
    }
  | { readonly type: "block"; readonly body: ReadonlyArray<Statement> }
  | { readonly type: "if"; readonly condition: Expression; readonly yes: Statement; readonly no: Statement | null }
  | { readonly type: "while"; readonly condition: Expression; readonly body: Statement; readonly after: boolean }
  | {
      readonly type: "for"
      readonly start: Statement | null
      readonly condition: Expression | null
      readonly step: Statement | null
      readonly body: Statement
    }
  | { readonly type: "each"; readonly name: string; readonly array: string; readonly body: Statement }
  | { readonly type: "delete"; readonly array: string; readonly keys: ReadonlyArray<Expression> | null }
  | { readonly type: "break" | "continue" | "next" | "nextfile" }
  | { readonly type: "exit" | "return"; readonly value: Expression | null }

export interface Rule {
  /** Empty for every record; two for a range. */
  readonly patterns: ReadonlyArray<Expression>
  /** Null prints the record. */
  readonly action: Statement | null
}

export interface Definition {
  readonly params: ReadonlyArray<string>
  readonly body: Statement
}

export interface AwkProgram {
  readonly begin: ReadonlyArray<Statement>
  readonly rules: ReadonlyArray<Rule>
  readonly end: ReadonlyArray<Statement>
  readonly functions: ReadonlyMap<string, Definition>
}
