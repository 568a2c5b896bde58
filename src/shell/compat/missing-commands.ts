// Finds commands that are missing in a statement (`echo a |`, `cmd &&`, `f() { }`). The interpreter's parser accepts them and runs
// the rest, so that a script that was cut off looks complete.
// Invariant: a statement that bash accepts has no error.
import { nodeAt, nodesAt } from "../syntax/node-fields.ts"
import type { Node } from "../syntax/nodes.ts"

const isNothing = (command: Node): boolean =>
  command["type"] === "SimpleCommand" &&
  command["name"] === null &&
  ["args", "assignments", "redirections"].every((key) => nodesAt(command, key).length === 0)

const BRACKETS: Readonly<Record<string, string>> = { Group: "}", Subshell: ")" }

/** The closing bracket of a compound command without any statement; null for any other command. */
const emptyOf = (command: Node): string | null => {
  const body = command["type"] === "FunctionDef" ? (nodeAt(command, "body") ?? {}) : command
  const bracket = BRACKETS[String(body["type"])]
  return bracket !== undefined && nodesAt(body, "body").length === 0 ? bracket : null
}

/** The message of the syntax error in a statement; null if it has none. */
export const missingIn = (statement: Node): string | null => {
  const { operators } = statement
  for (const [at, pipeline] of nodesAt(statement, "pipelines").entries()) {
    for (const [place, command] of nodesAt(pipeline, "commands").entries()) {
      const bracket = emptyOf(command)
      if (bracket !== null) return `syntax error near unexpected token \`${bracket}'`
      const before: unknown = Array.isArray(operators) ? operators[at - 1] : undefined
      const operator = place > 0 ? "|" : before
      if (typeof operator === "string" && isNothing(command)) return `syntax error: no command after \`${operator}'`
    }
  }
  return null
}
