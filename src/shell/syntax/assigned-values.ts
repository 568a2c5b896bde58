// Receives the assignments of a simple command; returns the values of variables that are known before the script runs.
// Invariant: a value is known only if it is one literal text without globs, or a directory that the shell itself names.
import type { SimpleCommand, Word } from "./words.ts"
import { beginning, wordText } from "./words.ts"

/** The variables that a script assigned so far. The value null is not known. */
export type Values = ReadonlyMap<string, string | null>

export const NO_VALUES: Values = new Map()

const MAX_VALUES = 100

/** Builtins that assign `NAME=value` in their words. */
const DECLARING: ReadonlySet<string> = new Set(["declare", "export", "local", "readonly", "typeset"])

const DIRECTORIES: Readonly<Record<string, string>> = { HOME: "~", PWD: "." }

/** The value of a word that is only `$HOME`, `$PWD` or `$(pwd)`. */
const directoryOf = ({ parts }: Pick<Word, "parts">): string | null => {
  const [only, ...more] = parts
  if (only === undefined || more.length > 0) return null
  if (only.type === "DoubleQuoted") return directoryOf(only)
  if (only.type === "ParameterExpansion" && only.operation === null) return DIRECTORIES[only.parameter] ?? null
  if (only.type !== "CommandSubstitution") return null
  const [statement, ...statements] = only.body.statements
  const [command] = statement?.pipelines[0]?.commands ?? []
  const isPwd = command?.type === "SimpleCommand" && command.name !== null && wordText(command.name) === "pwd"
  return isPwd && statements.length === 0 ? "." : null
}

const literal = (text: string | null): string | null => (text === null || /[*?[]/.test(text) ? null : text)

/** The values after a command that only assigns, or that declares variables. */
export const withAssigned = (values: Values, { name, args, assignments }: SimpleCommand): Values => {
  const assigned: Array<readonly [string, string | null]> = []
  if (name === null) {
    for (const one of assignments) {
      const value = one.value === null ? "" : (directoryOf(one.value) ?? literal(wordText(one.value)))
      assigned.push([one.name, one.append || one.array !== null ? null : value])
    }
  } else if (DECLARING.has(wordText(name) ?? "")) {
    for (const word of args) {
      const [, variable, value] = /^(\w+)=(.*)$/s.exec(wordText(word) ?? "") ?? []
      const unknown = /^(\w+)=/.exec(beginning(word))?.[1]
      if (variable !== undefined) assigned.push([variable, literal(value ?? null)])
      else if (unknown !== undefined) assigned.push([unknown, null])
    }
  }
  if (assigned.length === 0) return values
  const all = new Map([...values, ...assigned])
  return all.size > MAX_VALUES ? NO_VALUES : all
}
