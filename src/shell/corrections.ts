// The interpreter's methods, corrected where they differ from bash: one table of the corrections of each method, in order. Each
// correction is a function of compat/, fatal-errors.ts or raw-bytes.ts.
// Invariant: the order of the corrections of a method is written in the table alone.
import { inBackground, inDetached, isDetached } from "./compat/background.ts"
import { inherit } from "./compat/environment.ts"
import { assigned, assigns, inSubstitution } from "./compat/exit-codes/assignments.ts"
import { inPipe, inReader } from "./compat/exit-codes/broken-pipes.ts"
import { inCall, inPipeline, inScript, inStatement } from "./compat/exit-codes/errexit.ts"
import { inBody, inLoop } from "./compat/exit-codes/loops.ts"
import { mergesOutputs } from "./compat/outputs/merged-outputs.ts"
import {
  inShared,
  inSubshell,
  redirectsInput,
  redirectsOutput,
  withOwnInput,
  withRedirectedInput,
} from "./compat/inputs.ts"
import { withTargets } from "./compat/namerefs.ts"
import { isBareExec } from "./compat/outputs/collected-outputs.ts"
import { inReadScript } from "./compat/scripts/read-scripts.ts"
import { inSource } from "./compat/scripts/sources.ts"
import { atLevel, onFailure } from "./compat/traps.ts"
import { untilFatal, withContainedErrors, withUnbound } from "./fatal-errors.ts"
import { type Execute, guardOf, type Interpreter, refusalOf, refused, type State } from "./guard.ts"
import { withByteAccounts } from "./output-accounts.ts"
import { withMarkedBytes } from "./raw-bytes.ts"
import { LEVEL } from "./syntax/nodes.ts"

/** Wraps a method of the interpreter. */
type Correction = (execute: Execute) => Execute

/** The methods that are corrected. */
type Corrected = Exclude<Extract<keyof Interpreter, `execute${string}`>, "executeUserScript">

/**
 * Returns a correction: the method's output is recorded in the shell's `PrintOrder`. `merges`: only that of a command with `2>&1`,
 * whose two outputs become one in the order of printing.
 */
const inOrder =
  (merges: boolean): Correction =>
  (execute) =>
    function (this: Interpreter, ...args) {
      const run = () => execute.apply(this, args)
      if (merges && !mergesOutputs(args[0])) return run()
      return guardOf(this)?.order.during(args[0], run, merges) ?? run()
    }

const ordered = inOrder(false)

/** Wraps a method so that its command has the names of the variables that references refer to (`local -n`). */
const referring: Correction = (execute) =>
  function (this: Interpreter, node, ...args) {
    const session = guardOf(this)?.session
    if (session !== undefined) session.running = this.ctx.state
    return execute.call(this, withTargets(this.ctx.state, node), ...args)
  }

/** Wraps a method so that what is written to copies of its outputs is printed there (`exec 3>&1`). */
const copied: Correction = (execute) =>
  function (this: Interpreter, ...args) {
    const run = () => execute.apply(this, args)
    const guard = guardOf(this)
    return guard?.outputs.during(this, args[0], guard.session.threads, run) ?? run()
  }

/** Wraps a method so that its script is first rewritten to forms that the interpreter evaluates correctly. */
const rewritten: Correction = (execute) =>
  function (this: Interpreter, script, ...args) {
    const guard = guardOf(this)
    withByteAccounts(this.ctx)
    if (guard !== undefined) inherit(this, guard)
    // A script from the interpreter's own parser.
    return execute.call(this, guard?.rewrite(script as object) ?? script, ...args)
  }

/** Wraps a method so that the handlers of `trap` run. */
const trapped: Correction = (execute) =>
  function (this: Interpreter, ...args) {
    const run = () => execute.apply(this, args)
    const session = guardOf(this)?.session
    const { collected, budget, outputs } = guardOf(this) ?? {}
    // A statement from the interpreter's own parser.
    const statement = args[0] as { readonly [LEVEL]?: true; readonly sourceText?: string }
    if (session === undefined || collected === undefined || budget === undefined || outputs === undefined) return run()
    if (statement[LEVEL] === true) {
      const level = () => atLevel(this, session, collected, budget.signal, run)
      return session.levels.length === 0 ? outputs.last(session.threads, level) : level()
    }
    return this.ctx.state.traced === true ? onFailure(this, session, statement, run) : run()
  }

/** Wraps a method so that a failure after it counts as a new one for the ERR handler. */
const unhandled: Correction = (execute) =>
  function (this: Interpreter, ...args) {
    const run = () => execute.apply(this, args)
    const session = guardOf(this)?.session
    if (this.ctx.state.traced !== true || session === undefined) return run()
    session.unhandled()
    return run().finally(() => session.unhandled())
  }

/** Wraps a method so that a command with `&` and its script run in turns, and it ends when a signal has ended its shell. */
const backgrounded: Correction = (execute) =>
  function (this: Interpreter, ...args) {
    // A signal that ends a shell also ends the shells around it, up to that of the command.
    const ends = guardOf(this)?.session.threads.current?.ends ?? null
    if (ends !== null) return this.runCommand("exit", ends, [], "", false, false)
    return inBackground(this, args[0], () => execute.apply(this, args))
  }

/** Returns a correction: an error that ends a shell in bash ends it. */
const fatally =
  (by: typeof untilFatal): Correction =>
  (execute) =>
    function (this: Interpreter, ...args) {
      return by(
        () => execute.apply(this, args),
        (code) => this.runCommand("exit", [code], [], "", false, false),
      )
    }

/** Wraps a method so that a redirection of its command reads the command's input as `/dev/stdin`. */
const redirected: Correction = (execute) =>
  function (this: Interpreter, node, input, ...rest) {
    const { fs, state } = this.ctx
    const run = () => inReader(state, node, input, () => execute.call(this, node, input, ...rest))
    return withRedirectedInput(fs, state, node, input, run)
  }

/** Returns a correction: the method runs in `by`, which receives the shell's state and the node that is executed. */
const around =
  (by: (state: State, node: unknown, run: () => Promise<unknown>) => Promise<unknown>): Correction =>
  (execute) =>
    function (this: Interpreter, ...args) {
      return by(this.ctx.state, args[0], () => execute.apply(this, args))
    }

/** Wraps a method so that a bare `exec` keeps its redirections, and assignments and input are those of bash. */
const asInBash: Correction = (execute) =>
  function (this: Interpreter, node, ...rest) {
    const bare = isBareExec(node)
    const why = bare && !isDetached(node) ? refusalOf(this, ["exec"]) : null
    if (why !== null) return Promise.resolve(refused("exec", why))
    const collected = guardOf(this)?.collected
    const { state } = this.ctx
    if (bare && collected !== undefined) {
      if (redirectsInput(node)) state.groupStdin = undefined
      return collected.exec(state, node, (exec) => execute.call(this, exec, ...rest))
    }
    state.redirects = redirectsOutput(node)
    const run = () => withOwnInput(state, node, () => inCall(state, () => execute.call(this, node, ...rest)))
    return assigns(node) ? assigned(state, node, guardOf(this)?.budget, run) : run()
  }

/** The corrections of each method. The first one is the outermost: it runs before all others, and ends after them. */
const CORRECTIONS: Readonly<Record<Corrected, ReadonlyArray<Correction>>> = {
  executeScript: [rewritten, copied, around(inSubstitution), around(inSource), around(inScript)],
  executeStatement: [
    ordered,
    trapped,
    backgrounded,
    around(inBody),
    around(inReadScript),
    around(inShared),
    around(inStatement),
    fatally(untilFatal),
  ],
  executePipeline: [
    ordered,
    copied,
    around(inPipeline),
    around(inPipe),
    around((_, __, run) => run().then(withMarkedBytes)),
  ],
  executeCommand: [
    inOrder(true),
    redirected,
    copied,
    around(inLoop),
    around((_, node, run) => withContainedErrors(node, run)),
    referring,
  ],
  executeSimpleCommand: [asInBash, unhandled],
  executeSubshell: [unhandled, around(inSubshell), around((state, _, run) => inCall(state, run)), around(inDetached)],
  executeConditionalCommand: [unhandled, fatally(withUnbound)],
  executeArithmeticCommand: [unhandled, fatally(withUnbound)],
}

/** Wraps the interpreter's methods in their corrections. Call it once. */
export const correct = (interpreter: Interpreter): void => {
  // The keys of the table are its type's.
  for (const method of Object.keys(CORRECTIONS) as ReadonlyArray<Corrected>)
    interpreter[method] = CORRECTIONS[method].reduceRight((execute, by) => by(execute), interpreter[method])
}
