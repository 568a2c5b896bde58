// The guard of a shell, and the interpreter as its interception sees it. Receives a command's words; returns why it may not run.
// Invariant: a refused command ends like a file without permission to execute, with exit code 126, and is a violation.
import type { BashOptions } from "just-bash/browser"
import type { ShellBudget } from "./budget.ts"
import type { BuiltinState } from "./compat/builtins/builtins.ts"
import type { EnvironmentState, Starting } from "./compat/environment.ts"
import type { AssignmentState } from "./compat/exit-codes/assignments.ts"
import type { LoopState } from "./compat/exit-codes/loops.ts"
import type { InputState } from "./compat/inputs.ts"
import type { NamerefState } from "./compat/namerefs.ts"
import type { CollectedOutputs } from "./compat/outputs/collected-outputs.ts"
import type { SavedOutputs } from "./compat/outputs/saved-outputs.ts"
import type { PrintOrder } from "./compat/print-order.ts"
import type { RewriteScript } from "./compat/rewrite.ts"
import type { SourceFiles, SourceState } from "./compat/scripts/sources.ts"
import type { TrapState } from "./compat/traps.ts"
import type { ShellFiles } from "./files.ts"
import type { ShellSession } from "./session.ts"
import type { Violations } from "./violations.ts"

/** Returns why a command may not run; null when it may. */
export type RefuseCommand = (words: ReadonlyArray<string>) => string | null

/** The interpreter's method that runs a command. `name` is the first word, `rest` are the interpreter's internal arguments. */
export type Dispatch = (
  this: Interpreter,
  name: string,
  args: Array<string>,
  ...rest: Array<unknown>
) => Promise<unknown>

export type Execute = (this: Interpreter, ...args: Array<unknown>) => Promise<unknown>

interface Files extends SourceFiles {
  input: string
  readonly readFile: (path: string) => Promise<string>
  readonly appendFile: (path: string, text: string, encoding: "binary" | "utf8") => Promise<void>
  readonly resolvePath: (base: string, path: string) => string
}

export interface State
  extends AssignmentState, BuiltinState, LoopState, SourceState, TrapState, EnvironmentState, NamerefState, InputState {
  readonly cwd: string
  readonly functions: ReadonlyMap<string, unknown>
}

export interface Interpreter extends Starting {
  readonly ctx: Starting["ctx"] & {
    readonly coverage?: unknown
    readonly state: State
    readonly fs: Files
    readonly commands: ReadonlyMap<string, unknown>
    readonly executionScope?: object
  }
  runCommand: Dispatch
  executeUserScript: Dispatch
  executeStatement: Execute
  executePipeline: Execute
  executeCommand: Execute
  executeSimpleCommand: Execute
  executeSubshell: Execute
  executeConditionalCommand: Execute
  executeArithmeticCommand: Execute
  executeScript: Execute
}

const GUARD = Symbol.for("perch.shell.guard")

/** Commands that Perch's own rewriting inserts into a script; no rule applies to them. */
const OWN = /^perch-(?:absolute|deep|directories|quote|export-functions|words)$/

/** The option of just-bash that passes a guard to the interpreter. */
type Coverage = NonNullable<BashOptions["coverage"]>

/** `root` is the session's directory; `budget` is charged for words and input; `violations` receives refused programs. */
export interface GuardParts {
  readonly refuse: RefuseCommand
  readonly root: string
  readonly order: PrintOrder
  readonly violations: Violations
  readonly budget: ShellBudget
  readonly session: ShellSession
  readonly outputs: SavedOutputs
  readonly collected: CollectedOutputs
  readonly files: Pick<ShellFiles, "openTo" | "opened">
  /** Rewrites a script that the interpreter has parsed itself. */
  readonly rewrite: RewriteScript
}

export class Guard implements Coverage {
  readonly [GUARD]: GuardParts

  constructor(parts: GuardParts) {
    this[GUARD] = parts
  }

  hit(): void {}
}

/** The guard of a shell. Only this file sets this member of a shell's options. */
export const guardOf = ({ ctx }: Interpreter) => (ctx.coverage as Partial<Guard> | undefined)?.[GUARD]

export const refusalOf = (interpreter: Interpreter, words: ReadonlyArray<string>): string | null => {
  const guard = guardOf(interpreter)
  if (guard === undefined || OWN.test(words[0] ?? "")) return null
  const why = guard.refuse(words)
  if (why !== null) guard.violations.add(`command ${words[0] ?? ""}: ${why}`)
  return why
}

/** The result of a refused command. */
export const refused = (name: string, why: string) => ({ stdout: "", stderr: `bash: ${name}: ${why}\n`, exitCode: 126 })
