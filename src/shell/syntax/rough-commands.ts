// Receives a script that can't be parsed, or that its syntax tree contains as text; returns its commands, split at every separator.
// Invariant: a piece never contains more than one command, and nothing about where it runs is known.
import { NO_VALUES } from "./assigned-values.ts"
import type { ShellCommand } from "../shell-command.ts"

const piecesOf = (source: string): ReadonlyArray<string> =>
  source
    .split(/&&|\|\||[;&|\n(){}`]|\$\(/)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")

const UNCLEAR = { places: [".", null], parts: [], values: NO_VALUES, followed: false }

const unclear = (text: string): ShellCommand => {
  const [name = null, ...args] = text.split(/\s+/).map((word) => word.replace(/["'\\]/g, ""))
  return { name, args, globs: args, from: [], to: [], words: text.split(/\s+/), text, ...UNCLEAR }
}

export const roughCommands = (source: string): ReadonlyArray<ShellCommand> => piecesOf(source).map(unclear)
