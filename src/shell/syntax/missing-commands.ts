// Finds commands that are missing in a statement (`echo a |`, `cmd &&`, `f() { }`). The interpreter's parser accepts them and runs
// the rest, so that a script that was cut off looks complete.
// Invariant: a statement that bash accepts has no error.
import type { Node } from "./nodes.ts"

const isNothing = (command: Node): boolean =>
  command["type"] === "SimpleCommand" &&
  command["name"] === null &&
  ["args", "assignments", "redirections"].every((key) => (command[key] as ReadonlyArray<unknown>).length === 0)

const BRACKETS: Readonly<Record<string, string>> = { Group: "}", Subshell: ")" }

/** The closing bracket of a compound command without any statement; null for any other command. */
const emptyOf = (command: Node): string | null => {
  const body = command["type"] === "FunctionDef" ? (command["body"] as Node) : command
  const bracket = BRACKETS[String(body["type"])]
  return bracket !== undefined && (body["body"] as ReadonlyArray<unknown>).length === 0 ? bracket : null
}

/** The message of the syntax error in a statement; null if it has none. */
export const missingIn = (statement: Node): string | null => {
  const pipelines = statement["pipelines"] as ReadonlyArray<Node>
  const operators = statement["operators"] as ReadonlyArray<string>
  for (const [at, pipeline] of pipelines.entries()) {
    const commands = pipeline["commands"] as ReadonlyArray<Node>
    for (const [place, command] of commands.entries()) {
      const bracket = emptyOf(command)
      if (bracket !== null) return `syntax error near unexpected token \`${bracket}'`
      const operator = place > 0 ? "|" : operators[at - 1]
      if (operator !== undefined && isNothing(command)) return `syntax error: no command after \`${operator}'`
    }
  }
  return null
}
