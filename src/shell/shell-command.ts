// The shapes of what is read from a script: its simple commands in order, and its structure.
// Invariant: a null is a word, a file or a directory that can't be determined before the script runs.
import type { ShellShape } from "../permissions/shell-analysis.ts"
import type { Values } from "./syntax/assigned-values.ts"
import type { Word } from "./syntax/words.ts"

/** One command as it is written. Null is a word that can't be determined before it runs. */
export interface ShellCommand {
  readonly name: string | null
  readonly args: ReadonlyArray<string | null>
  /** The arguments with globs unchanged, also at their start. */
  readonly globs: ReadonlyArray<string | null>
  /** The files of its redirections, without /dev/null and duplicated descriptors. */
  readonly from: ReadonlyArray<string | null>
  readonly to: ReadonlyArray<string | null>
  /** The words as they are written in the script, and all of them with one space between them. */
  readonly words: ReadonlyArray<string>
  readonly text: string
  /** The directories in which it may run, relative to the working directory; null means any directory. */
  readonly places: ReadonlyArray<string | null>
  /** All of its words as the parser returned them; none if the script could not be parsed. */
  readonly parts: ReadonlyArray<Word>
  /** The variables that the script has assigned before it. */
  readonly values: Values
  /** False in a function, a `case` or an arithmetic loop: the official SDK does not look for removals there. */
  readonly followed: boolean
  /** True if it has variables of its own (`A=1 x`). */
  readonly assigns?: boolean
}

export interface ShellScript {
  readonly commands: ReadonlyArray<ShellCommand>
  /** True when the script only runs these commands, in this order. */
  readonly plain: boolean
  readonly shape: ShellShape
  /** False when the shell's own parser rejects the script. */
  readonly parsed: boolean
}
