// The single place through which every command of the emulated shell passes before it runs, with its words expanded: programs,
// builtins, functions and scripts, at the top, in substitutions, in traps, and in commands that `sh`, `eval`, `xargs` or `find`
// start. Receives the words; a refused command ends like a file without permission to execute, with exit code 126.
// Invariant: no shell is returned without this interception.
import type { Bash, BashOptions } from "just-bash/browser"
import { calledScript, programAt, scriptNames } from "./called-scripts.ts"
import { paused } from "./compat/background.ts"
import { type BuiltinResult, ranBuiltin, withoutArgument } from "./compat/builtins/builtins.ts"
import { answerTo } from "./compat/builtins/jobs.ts"
import { released } from "./compat/builtins/readonly-locals.ts"
import { separated } from "./compat/correction.ts"
import { inProgram } from "./compat/exit-codes/broken-pipes.ts"
import { withNamedInput, withSharedInput } from "./compat/inputs.ts"
import { withFormatted, withInvalid } from "./compat/printf/conversions.ts"
import { withBytes, withMarks } from "./compat/printf/printed-bytes.ts"
import { shebangOf } from "./compat/scripts/shebang.ts"
import { inSourced } from "./compat/scripts/sources.ts"
import { testError } from "./compat/test-words.ts"
import { noteTraps } from "./compat/traps.ts"
import { correct } from "./corrections.ts"
import {
  type Dispatch,
  Guard,
  guardOf,
  type GuardParts,
  type Interpreter,
  refusalOf,
  refused,
  type State,
} from "./guard.ts"
import { findPrototype, interpreter } from "./interpreter.ts"
import { decodeRead, markErrors, restored } from "./raw-bytes.ts"
import { CALL, CALL_OUTPUT } from "./session.ts"
import { isFileProgram } from "./syntax/commands.ts"
import { parsedArguments } from "./syntax/parser-gaps.ts"
import { innerName } from "./syntax/wrappers.ts"

const INTERCEPTED = Symbol.for("perch.shell.intercepted")

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

const withAnyFound = (ran: unknown): unknown => {
  // Every builtin of the interpreter has such a result.
  const { stdout, ...others } = ran as BuiltinResult
  return stdout === "" ? ran : { ...others, stdout, exitCode: 0 }
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
  const { runCommand, executeUserScript } = interpreter
  correct(interpreter)
  interpreter.runCommand = opening(guarded(runCommand))
  interpreter.executeUserScript = byItsProgram(executeUserScript, runCommand)
  markErrors(interpreter)[INTERCEPTED] = true
}

/** Wraps the method that runs a command, so that programs which do not only read or edit files may open any file. */
const opening = (runCommand: Dispatch): Dispatch =>
  function (this: Interpreter, name, args, ...rest) {
    const ran = () => runCommand.call(this, name, args, ...rest)
    const inner = innerName(name, args)
    const guard = inner.startsWith("perch-") || isFileProgram({ name: inner }) ? undefined : guardOf(this)
    return guard === undefined ? ran() : guard.files.openTo(ran)
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
    else callNames.delete(state)
    const wrong = testError(name, args)
    if (wrong !== null) return Promise.resolve({ stdout: "", stderr: wrong, exitCode: 2 })
    if (!state.functions.has(name)) {
      const answer = name === "kill" ? answerTo(state, args, guardOf(this)?.session) : null
      if (answer !== null) return runCommand.call(this, ...answer, ...rest)
      const builtin = ranBuiltin(state, name, args)
      if (builtin !== null) return Promise.resolve(builtin)
      const pause = paused(this, name, args, (...answer) => runCommand.call(this, ...answer, ...rest))
      if (pause !== null) return pause
    }
    const printed = withFormatted(name, args)
    // The interpreter reads combined options (`mapfile -td ''`) as none.
    const given = /^(?:mapfile|readarray)$/.test(name) ? separated(args, "dnOsuCc", "t") : args
    const words = parsedArguments(name, given) ?? printed?.args ?? given
    const bytes = withMarks(name, words)
    if (bytes !== null || printed !== null)
      return runCommand
        .call(this, name, bytes ?? words, ...rest)
        .then((ran) => withInvalid(bytes === null ? ran : withBytes(ran), printed?.invalid ?? []))
    const [flags, input, ...others] = rest
    // A program that is not a builtin, and neither has an input of its own nor runs after a pipe.
    const shares = input === "" && state.groupStdin && commands.has(name) && !state.functions.has(name)
    const ran = () =>
      shares
        ? withSharedInput(state, words, (given) => runCommand.call(this, name, words, flags, given, ...others))
        : inProgram(state, input, () => runCommand.call(this, name, words, ...rest))
    const call = () => withNamedInput(this.ctx.fs, words, rest[1] || state.groupStdin, ran)
    const run = () => (state.functions.has(name) ? released(state, call) : call())
    if (name === "trap" || name === "set")
      return run().then((ran) => (noteTraps(state, guardOf(this)?.session, name, args), ran))
    if (name === "getopts") return run().then((ran) => (withoutArgument(state, args), ran))
    if (/^(?:read|mapfile|readarray)$/.test(name)) return run().then((ran) => (decodeRead(state, args), ran))
    // It succeeds if it finds any of the names.
    if (name === "command" && /^-[vV]$/.test(args[0] ?? "")) return run().then(withAnyFound)
    return noted(this, name, /^(?:source|\.)$/.test(name) ? inSourced(state, this.ctx.fs, args, run) : run())
  }

/** Wraps the method that runs a script by its path, so that the script is refused, or run by the program that it names. */
const byItsProgram = (executeUserScript: Dispatch, runCommand: Dispatch): Dispatch =>
  async function (this: Interpreter, path, args, ...rest) {
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
