// What is known about a shell script before it runs: its simple commands, their kinds, and the paths that they name.
// Invariant: in doubt a command is `other`, a path is the root, and a script is not `plain`; each of these makes the script an
// ask.

/** One simple command at any depth: in a list, a pipe, a subshell, a loop, or a substitution. */
export interface ShellStep {
  /** The command as it is written, without redirections: words with one space between them. */
  readonly text: string
  /** The same command without `timeout`, `nohup` and the like, and without quotes around its name: allow rules check them, too. */
  readonly equivalents: ReadonlyArray<string>
  /** Other commands that it may be or start (`/bin/rm x`, `env rm x`, `sh -c "rm x"`): deny and ask rules check them. */
  readonly hidden: ReadonlyArray<string>
  /** `read` changes nothing, `edit` changes files in ways that acceptEdits covers, `other` is anything else. */
  readonly kind: "read" | "edit" | "other"
  /** What the program does with its paths, also inside wrappers (`env rm x`). acceptEdits covers less: only a `kind` of `edit`. */
  readonly touches: ShellStep["kind"]
  /** True when one of its words has the value of a variable other than HOME, or a file that it is redirected to or from is unknown. */
  readonly isVariable: boolean
  /** True if its program does nothing but read or edit files, whatever its arguments: a rule for such a command opens no paths. */
  readonly isFileProgram: boolean
  /** Absolute paths of its operands. */
  readonly paths: ReadonlyArray<string>
  /** Those of `paths` that it may change. */
  readonly changes: ReadonlyArray<string>
  /** The first glob among the operands of a program that edits files, as written, and the directory that has all its matches. */
  readonly glob?: { readonly text: string; readonly directory: string }
  /** Absolute paths, or globs, that it removes or moves away (`rm`, `mv`). A glob for all of a directory is the directory. */
  readonly removes: ReadonlyArray<string>
  /** Paths that `rm` or `rmdir` removes, if all of them are known before the script runs; else none. */
  readonly erases: ReadonlyArray<string>
  /** Words of `rm` or `rmdir` that are at the top of the file system, or may be all of another directory: `/data`, `$X/*`. */
  readonly mayErase: ReadonlyArray<string>
  /** Absolute paths that it copies, with everything below them. */
  readonly copies: ReadonlyArray<string>
  /** Absolute paths, or globs, that any of its words may mean, options included: used only by deny and ask rules. */
  readonly mentions: ReadonlyArray<string>
  /** Files that it is redirected from and to. */
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
}

/** The structure of a script, as far as it affects how its commands are asked about. */
export interface ShellShape {
  /**
   * The script has substitutions, variables outside of quotes, subshells, groups or functions: as in the official SDK, it is
   * asked about as a whole, whatever permits its commands.
   */
  readonly nested: boolean
  /** The script has a subshell. */
  readonly isolated: boolean
  /** Some commands of the script are joined by pipes. */
  readonly piped: boolean
  /** A part of the script runs in the background. */
  readonly background: boolean
}

export interface ShellAnalysis {
  /** False when the shell's own parser refuses the script; its steps are then rough pieces. */
  readonly parsed: boolean
  /** True when the script was parsed and its steps, in this order, are all that can happen. */
  readonly plain: boolean
  readonly shape: ShellShape
  readonly steps: ReadonlyArray<ShellStep>
}

const UNREAD: ShellAnalysis = {
  parsed: false,
  plain: false,
  shape: { nested: true, isolated: false, piped: false, background: false },
  steps: [],
}

/** The analysis of a call's script; if it was not analyzed, one that assumes nothing about it. */
export const analysisOf = ({ shell }: { readonly shell?: ShellAnalysis }): ShellAnalysis => shell ?? UNREAD
