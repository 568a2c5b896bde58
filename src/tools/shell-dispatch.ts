// The one place that every command of the emulated shell passes before it runs, its words expanded: programs, builtins,
// functions and scripts, at the top, in substitutions, in traps, and in whatever `sh`, `eval`, `xargs` or `find` start.
// Receives the words; what the guard refuses ends as a program that may not be executed does, with exit code 126.
// Invariant: a shell without this interception is never handed out.
import { Bash, type BashOptions, InMemoryFs } from "just-bash/browser"

/** Says why a command may not run; null when it may. */
export type RefuseCommand = (words: ReadonlyArray<string>) => string | null

/** What the interpreter hands a command to. `name` is the first word, `rest` is the interpreter's own. */
type Dispatch = (this: Interpreter, name: string, args: Array<string>, ...rest: Array<unknown>) => Promise<unknown>

interface Interpreter {
  readonly ctx: { readonly coverage?: unknown; readonly state: { readonly cwd: string } }
  runCommand: Dispatch
  executeUserScript: Dispatch
}

const REFUSES = Symbol.for("perch.shell.refuses")
const INTERCEPTED = Symbol.for("perch.shell.intercepted")

/** Commands that Perch's own rewriting puts into a script: no rule is about them. */
const OWN = /^perch-(?:directories|quote|leaving|export-functions)$/

/** The option that carries a guard to the interpreter. */
type Coverage = NonNullable<BashOptions["coverage"]>

class Guard implements Coverage {
  readonly [REFUSES]: RefuseCommand

  constructor(refuse: RefuseCommand) {
    this[REFUSES] = refuse
  }

  hit(): void {}
}

const refusalOf = (interpreter: Interpreter, words: ReadonlyArray<string>): string | null => {
  const { coverage } = interpreter.ctx
  const refuse = (coverage as { readonly [REFUSES]?: RefuseCommand } | undefined)?.[REFUSES]
  return refuse === undefined || OWN.test(words[0] ?? "") ? null : refuse(words)
}

const refused = (name: string, why: string) => ({ stdout: "", stderr: `bash: ${name}: ${why}\n`, exitCode: 126 })

/** A script in the workspace is known by the word that called it, by its path, and by its path from where it is called. */
const scriptNames = (path: string, cwd: string): ReadonlyArray<string> => {
  const base = cwd === "/" ? "/" : `${cwd}/`
  if (!path.startsWith(base)) return [path]
  const relative = path.slice(base.length)
  return [path, relative, `./${relative}`]
}

/**
 * The class of just-bash's interpreter, which it does not export. Its constructor binds `executeScript` to the new
 * instance: that call is watched for one script, which runs nothing and gets that far before anything is awaited.
 */
const findInterpreter = (): Interpreter | null => {
  // Put back below, before any other code runs.
  const { prototype } = Function
  const { bind } = prototype
  let found: Interpreter | null = null
  prototype.bind = function (this: CallableFunction, self: unknown, ...args: Array<unknown>) {
    if (typeof self === "object" && self !== null && "runCommand" in self && "executeUserScript" in self)
      found ??= Object.getPrototypeOf(self) as Interpreter
    return bind.call(this, self, ...args) as unknown
  } as typeof bind
  try {
    void new Bash({ fs: new InMemoryFs(), commands: [], defenseInDepth: false }).exec(":")
  } finally {
    prototype.bind = bind
  }
  return found
}

const intercept = (interpreter: Interpreter & { [INTERCEPTED]?: true }): void => {
  if (interpreter[INTERCEPTED] === true) return
  const { runCommand, executeUserScript } = interpreter
  interpreter.runCommand = function (name, args, ...rest) {
    const why = refusalOf(this, [name, ...args])
    return why === null ? runCommand.call(this, name, args, ...rest) : Promise.resolve(refused(name, why))
  }
  interpreter.executeUserScript = function (path, args, ...rest) {
    for (const name of scriptNames(path, this.ctx.state.cwd)) {
      const why = refusalOf(this, [name, ...args])
      if (why !== null) return Promise.resolve(refused(name, why))
    }
    return executeUserScript.call(this, path, args, ...rest)
  }
  interpreter[INTERCEPTED] = true
}

let ready = false

/** A shell in which `refuse` is asked before each command. */
export const guardedBash = (options: Omit<BashOptions, "coverage">, refuse: RefuseCommand): Bash => {
  if (!ready) {
    const interpreter = findInterpreter()
    if (interpreter === null)
      throw new Error("The shell's interpreter was not found, so its commands cannot be guarded.")
    intercept(interpreter)
    ready = true
  }
  return new Bash({ ...options, coverage: new Guard(refuse) })
}
