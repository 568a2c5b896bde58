// The single place through which every command of the emulated shell passes before it runs, with its words expanded: programs,
// builtins, functions and scripts, at the top, in substitutions, in traps, and in commands that `sh`, `eval`, `xargs` or `find`
// start. Receives the words; a refused command ends like a file without permission to execute, with exit code 126.
// Invariant: no shell is returned without this interception.
import type { Bash, BashOptions } from "just-bash/browser"
import { assigned, type AssignmentState, assigns, inSubstitution } from "./compat/exit-codes/assignments.ts"
import { inBackground, inDetached } from "./compat/background.ts"
import { type BuiltinState, ranBuiltin } from "./compat/builtins/builtins.ts"
import { answerTo } from "./compat/builtins/jobs.ts"
import { inCall, inPipeline, inScript, inStatement } from "./compat/exit-codes/errexit.ts"
import { inBody, inLoop, type LoopState } from "./compat/exit-codes/loops.ts"
import { released } from "./compat/builtins/readonly-locals.ts"
import { type InputState, withOwnInput } from "./compat/inputs.ts"
import type { PrintOrder } from "./compat/print-order.ts"
import { withBytes, withMarks } from "./compat/printf/printed-bytes.ts"
import { withInvalid, withFormatted } from "./compat/printf/conversions.ts"
import { type EnvironmentState, inherit, type Starting } from "./compat/environment.ts"
import { type NamerefState, withTargets } from "./compat/namerefs.ts"
import { type CollectedOutputs, isBareExec } from "./compat/outputs/collected-outputs.ts"
import type { SavedOutputs } from "./compat/outputs/saved-outputs.ts"
import { testError } from "./compat/test-words.ts"
import { inSource, inSourced, type SourceFiles, type SourceState } from "./compat/sources.ts"
import type { RewriteScript } from "./compat/rewrite.ts"
import { shebangOf } from "./compat/shebang.ts"
import type { ShellBudget } from "./budget.ts"
import { calledScript, programAt, scriptNames } from "./called-scripts.ts"
import { untilFatal, withContainedErrors, withUnbound } from "./fatal-errors.ts"
import { findPrototype, interpreter } from "./interpreter.ts"
import { atLevel, noteTraps, onFailure, type TrapState } from "./compat/traps.ts"
import { withByteAccounts } from "./output-accounts.ts"
import { markErrors, restored, withMarkedBytes } from "./raw-bytes.ts"
import { CALL, CALL_OUTPUT, type ShellSession } from "./session.ts"
import { parsedArguments } from "./syntax/parser-gaps.ts"
import type { Violations } from "./violations.ts"
import { LEVEL } from "./syntax/nodes.ts"

/** Returns why a command may not run; null when it may. */
export type RefuseCommand = (words: ReadonlyArray<string>) => string | null

/** The interpreter's method that runs a command. `name` is the first word, `rest` are the interpreter's internal arguments. */
type Dispatch = (this: Interpreter, name: string, args: Array<string>, ...rest: Array<unknown>) => Promise<unknown>

type Execute = (this: Interpreter, ...args: Array<unknown>) => Promise<unknown>

interface Files extends SourceFiles {
  readonly readFile: (path: string) => Promise<string>
  readonly appendFile: (path: string, text: string, encoding: "binary" | "utf8") => Promise<void>
  readonly resolvePath: (base: string, path: string) => string
}

interface State
  extends AssignmentState, BuiltinState, LoopState, SourceState, TrapState, EnvironmentState, NamerefState, InputState {
  readonly cwd: string
  readonly functions: ReadonlyMap<string, unknown>
}

interface Interpreter extends Starting {
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
const INTERCEPTED = Symbol.for("perch.shell.intercepted")

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
  /** Rewrites a script that the interpreter has parsed itself. */
  readonly rewrite: RewriteScript
}

class Guard implements Coverage {
  readonly [GUARD]: GuardParts

  constructor(parts: GuardParts) {
    this[GUARD] = parts
  }

  hit(): void {}
}

/** The guard of a shell. Only this file sets this member of a shell's options. */
const guardOf = ({ ctx }: Interpreter) => (ctx.coverage as Partial<Guard> | undefined)?.[GUARD]

const refusalOf = (interpreter: Interpreter, words: ReadonlyArray<string>): string | null => {
  const guard = guardOf(interpreter)
  if (guard === undefined || OWN.test(words[0] ?? "")) return null
  const why = guard.refuse(words)
  if (why !== null) guard.violations.add(`command ${words[0] ?? ""}: ${why}`)
  return why
}

/** Records a violation if the program does not exist. */
const noted = async (interpreter: Interpreter, name: string, ran: Promise<unknown>): Promise<unknown> => {
  const result = await ran
  // Every command of the interpreter has such a result.
  const { exitCode, stderr } = result as { readonly exitCode?: unknown; readonly stderr?: unknown }
  // A function may return exit code 127 from a command that it called: that command has already been recorded.
  if (exitCode === 127 && String(stderr).includes(`${name}: command not `))
    guardOf(interpreter)?.violations.add(`command ${name}: this shell has no such program`)
  return result
}

const refusalOfScript = (interpreter: Interpreter, path: string, args: ReadonlyArray<string>): string | null => {
  const guard = guardOf(interpreter)
  if (guard === undefined) return null
  for (const name of scriptNames(path, [interpreter.ctx.state.cwd, guard.root])) {
    const why = refusalOf(interpreter, [name, ...args])
    if (why !== null) return why
  }
  return null
}

const refused = (name: string, why: string) => ({ stdout: "", stderr: `bash: ${name}: ${why}\n`, exitCode: 126 })

/** Wraps a method so that its output is recorded in the shell's `PrintOrder`. */
const ordered = (execute: Execute): Execute =>
  function (this: Interpreter, ...args) {
    const run = () => execute.apply(this, args)
    return guardOf(this)?.order.during(args[0], run) ?? run()
  }

/** Wraps a method so that its command has the names of the variables that references refer to (`local -n`). */
const referring = (execute: Execute): Execute =>
  function (this: Interpreter, node, ...args) {
    const session = guardOf(this)?.session
    if (session !== undefined) session.running = this.ctx.state
    return execute.call(this, withTargets(this.ctx.state, node), ...args)
  }

/** Wraps a method so that what is written to copies of its outputs is printed there (`exec 3>&1`). */
const copied = (execute: Execute): Execute =>
  function (this: Interpreter, ...args) {
    const run = () => execute.apply(this, args)
    return guardOf(this)?.outputs.during(this, args[0], run) ?? run()
  }

/** Wraps a method so that its script is first rewritten to forms that the interpreter evaluates correctly. */
const rewritten = (execute: Execute): Execute =>
  function (this: Interpreter, script, ...args) {
    const guard = guardOf(this)
    withByteAccounts(this.ctx)
    if (guard !== undefined) inherit(this, guard)
    // A script from the interpreter's own parser.
    return execute.call(this, guard?.rewrite(script as object) ?? script, ...args)
  }

/** Wraps a method so that the handlers of `trap` run. */
const trapped = (execute: Execute): Execute =>
  function (this: Interpreter, ...args) {
    const run = () => execute.apply(this, args)
    const session = guardOf(this)?.session
    const collected = guardOf(this)?.collected
    // A statement from the interpreter's own parser.
    const { [LEVEL]: level, sourceText } = args[0] as { readonly [LEVEL]?: true; readonly sourceText?: string }
    if (session === undefined || collected === undefined) return run()
    if (level === true) return atLevel(this, session, collected, run)
    return this.ctx.state.traced === true ? onFailure(this, session, sourceText ?? "", run) : run()
  }

/** Wraps a method so that a failure after it counts as a new one for the ERR handler. */
const unhandled = (execute: Execute): Execute =>
  function (this: Interpreter, ...args) {
    const run = () => execute.apply(this, args)
    const session = guardOf(this)?.session
    if (this.ctx.state.traced !== true || session === undefined) return run()
    session.unhandled()
    return run().finally(() => session.unhandled())
  }

/** Wraps a method so that an error that ends a shell in bash ends it. */
const fatally = (execute: Execute, by: typeof untilFatal): Execute =>
  function (this: Interpreter, ...args) {
    return by(
      () => execute.apply(this, args),
      (code) => this.runCommand("exit", [code], [], "", false, false),
    )
  }

/** Wraps a method in `by`, which receives the shell's state and the node that is executed. */
const around = (
  execute: Execute,
  by: (state: State, node: unknown, run: () => Promise<unknown>) => Promise<unknown>,
): Execute =>
  function (this: Interpreter, ...args) {
    return by(this.ctx.state, args[0], () => execute.apply(this, args))
  }

/** Runs the command in the arguments of `perch-call`. The first item of `rest` has a flag per argument: whether it was quoted. */
const calledByWords = (shell: Interpreter, by: string, args: ReadonlyArray<string>, rest: ReadonlyArray<unknown>) => {
  const [[name, ...words], [quoted, ...others]] = [args, rest]
  const exitCode = by === CALL ? 0 : shell.ctx.state.lastExitCode
  if (name === undefined) return Promise.resolve({ stdout: "", stderr: "", exitCode })
  const flags = Array.isArray(quoted) ? quoted.slice(1) : quoted
  return shell.runCommand(name, words, flags, ...others)
}

/** Charges a command's input. Not in a loop over its input: each command there gets the rest of it, and most don't read it. */
const spendInput = (interpreter: Interpreter, stdin: unknown): void => {
  if (typeof stdin === "string" && interpreter.ctx.state.groupStdin === undefined)
    guardOf(interpreter)?.budget.input(stdin.length)
}

const intercept = (interpreter: Interpreter & { [INTERCEPTED]?: true }): void => {
  if (interpreter[INTERCEPTED] === true) return
  const { runCommand, executeUserScript, executeSimpleCommand } = interpreter
  const calling = unhandled(executeSimpleCommand)
  const executeStatement = around(fatally(interpreter.executeStatement, untilFatal), inStatement)
  interpreter.executeStatement = ordered(trapped(around(around(executeStatement, inBody), inBackground)))
  interpreter.executeConditionalCommand = fatally(interpreter.executeConditionalCommand, withUnbound)
  interpreter.executeArithmeticCommand = fatally(interpreter.executeArithmeticCommand, withUnbound)
  interpreter.executePipeline = ordered(
    copied(
      around(
        around(interpreter.executePipeline, (_, __, run) => run().then(withMarkedBytes)),
        inPipeline,
      ),
    ),
  )
  interpreter.executeCommand = copied(
    around(
      around(referring(interpreter.executeCommand), (_, node, run) => withContainedErrors(node, run)),
      inLoop,
    ),
  )
  interpreter.executeScript = rewritten(
    copied(around(around(around(interpreter.executeScript, inScript), inSource), inSubstitution)),
  )
  interpreter.executeSubshell = unhandled(
    around(around(interpreter.executeSubshell, inDetached), (state, _, run) => inCall(state, run)),
  )
  interpreter.runCommand = guarded(runCommand)
  interpreter.executeUserScript = async function (path, args, ...rest) {
    const why = refusalOfScript(this, path, args)
    if (why !== null) return refused(path, why)
    const { fs, state } = this.ctx
    const source = await fs.readFile(path).catch(() => null)
    if (source === null) return executeUserScript.call(this, path, args, ...rest)
    const called = callNames.get(state) ?? path
    const [program, ...options] = shebangOf(source)
    const words = [...options, fs.resolvePath(state.cwd, called) === path ? called : path, ...args]
    // Another program is checked like any other command; for this shell, the script's path has been checked.
    const run = program === "bash" ? runCommand : this.runCommand
    return run.call(this, program, words, [], ...rest, false, false)
  }
  interpreter.executeSimpleCommand = function (node, ...rest) {
    const bare = isBareExec(node)
    const why = bare ? refusalOf(this, ["exec"]) : null
    if (why !== null) return Promise.resolve(refused("exec", why))
    const collected = guardOf(this)?.collected
    if (bare && collected !== undefined)
      return collected.exec(this.ctx.state, node, (exec) => calling.call(this, exec, ...rest))
    const { state } = this.ctx
    const run = () => withOwnInput(state, node, () => inCall(state, () => calling.call(this, node, ...rest)))
    return assigns(node) ? assigned(state, node, guardOf(this)?.budget, run) : run()
  }
  markErrors(interpreter)[INTERCEPTED] = true
}

/** Wraps the method that runs a command, so that it is refused, corrected or charged before it runs. */
const guarded = (runCommand: Dispatch): Dispatch =>
  function (this: Interpreter, name, args, ...rest) {
    if (name === CALL || name === CALL_OUTPUT) return calledByWords(this, name, args, rest)
    spendInput(this, rest[1])
    if (typeof rest[1] === "string") rest[1] = restored(rest[1])
    guardOf(this)?.budget.words(args.length)
    const script = calledScript(name, args, this.ctx.state.cwd)
    const called = () => (script === null ? null : refusalOfScript(this, script, args.slice(1)))
    const why = refusalOf(this, [name, ...args]) ?? called()
    if (why !== null) return Promise.resolve(refused(name, why))
    const { commands, state } = this.ctx
    const program = programAt(name, commands)
    // `true`: a function of the same name is not called, since the command was given by its path.
    if (program !== null) return this.runCommand(program, args, rest[0], rest[1], true, ...rest.slice(3))
    if (name.includes("/")) callNames.set(state, name)
    const wrong = testError(name, args)
    if (wrong !== null) return Promise.resolve({ stdout: "", stderr: wrong, exitCode: 2 })
    if (!state.functions.has(name)) {
      const answer = name === "kill" ? answerTo(state, args, guardOf(this)?.session) : null
      if (answer !== null) return runCommand.call(this, ...answer, ...rest)
      const builtin = ranBuiltin(state, name, args)
      if (builtin !== null) return Promise.resolve(builtin)
    }
    const printed = withFormatted(name, args)
    const words = parsedArguments(name, args) ?? printed?.args ?? args
    const bytes = withMarks(name, words)
    if (bytes !== null || printed !== null)
      return runCommand
        .call(this, name, bytes ?? words, ...rest)
        .then((ran) => withInvalid(bytes === null ? ran : withBytes(ran), printed?.invalid ?? []))
    const call = () => runCommand.call(this, name, words, ...rest)
    const run = () => (state.functions.has(name) ? released(state, call) : call())
    if (name === "trap" || name === "set")
      return run().then((ran) => (noteTraps(state, guardOf(this)?.session, name, args), ran))
    return noted(this, name, /^(?:source|\.)$/.test(name) ? inSourced(state, this.ctx.fs, args, run) : run())
  }

/** The path by which a shell called its last script, which is the script's `$0`. */
const callNames = new WeakMap<State, string>()

let ready = false

/** Creates a shell that calls `guard.refuse` before each command. Throws if the interpreter can't be intercepted. */
export const guardedBash = (options: Omit<BashOptions, "coverage">, guard: GuardParts): Bash => {
  if (!ready) {
    const found = findPrototype()
    if (found === null) throw new Error("The shell's interpreter was not found, so its commands cannot be guarded.")
    // It has the methods of an interpreter.
    intercept(found as Interpreter)
    ready = true
  }
  const { Bash: Shell } = interpreter()
  return new Shell({ ...options, coverage: new Guard(guard) })
}
