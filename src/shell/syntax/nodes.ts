// Builds the syntax nodes that Perch inserts into a parsed script.
// Invariant: each has the shape that the interpreter's parser produces.

export type Node = Record<string, unknown>

export const wordOf = (...parts: ReadonlyArray<Node>): Node => ({ type: "Word", parts })

export const text = (value: string): Node => ({ type: "Literal", value })

export const variable = (parameter: string, operation: Node | null = null): Node => ({
  type: "ParameterExpansion",
  parameter,
  operation,
})

export const quoted = (...parts: ReadonlyArray<Node>): Node => wordOf({ type: "DoubleQuoted", parts })

export const assignment = (name: string, value: Node): Node => ({
  type: "Assignment",
  name,
  value,
  append: false,
  array: null,
})

export const simple = (
  name: string | null,
  args: ReadonlyArray<Node>,
  assignments: ReadonlyArray<Node> = [],
): Node => ({
  type: "SimpleCommand",
  name: name === null ? null : wordOf(text(name)),
  args,
  assignments,
  redirections: [],
})

export const statement = (command: Node): Node => ({
  type: "Statement",
  pipelines: [{ type: "Pipeline", commands: [command], negated: false, timed: false, timePosix: false }],
  operators: [],
  background: false,
})

/** Marks the statement that contains all of a shell: of a script, a subshell or `$(…)`. */
export const LEVEL = "level"

export const group = (body: ReadonlyArray<Node>): Node => ({ type: "Group", body, redirections: [] })

/** A command or loop, and the statements that fill the arrays in its words. */
export interface Filled {
  readonly before: ReadonlyArray<Node>
  readonly node: Node
  /** The node without arrays, which runs in its place when `isNeeded` is false. */
  readonly plain?: { readonly node: Node; readonly isNeeded: () => boolean }
}

/** A copy of the command or loop in which `replace` has replaced its words, and those of the arrays that `takesArray` accepts. */
export const withWords = (
  node: Node,
  replace: (word: unknown) => unknown,
  takesArray: (assigned: Node) => boolean = () => true,
): Node => {
  const copy = { ...node }
  for (const key of ["args", "words"]) if (Array.isArray(copy[key])) copy[key] = copy[key].map(replace)
  if (Array.isArray(copy["assignments"]))
    copy["assignments"] = copy["assignments"].map((one: Node) => {
      const { array } = one
      if (!Array.isArray(array) || !takesArray(one)) return one
      const words = array.map(replace)
      return words.every((word, at) => word === array[at]) ? one : { ...one, array: words }
    })
  return copy
}

/** Marks a script that is already rewritten to forms that the interpreter evaluates correctly. */
export const REWRITTEN = "rewritten"

/** Marks a command of a pipeline with several, which has a shell of its own. */
export const PIPED = "piped"

/** Marks a group whose output goes to the redirections around it. */
export const REDIRECTED = "redirected"

/** Marks the script of `$(…)`. */
export const CAPTURES = "captures"

export const substitution = (statements: ReadonlyArray<Node>): Node => ({
  type: "CommandSubstitution",
  body: { type: "Script", statements, [REWRITTEN]: true, [CAPTURES]: true },
  legacy: false,
})
