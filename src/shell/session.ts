// State of one run of the shell that the interpreter lacks: its functions, the exported ones (`export -f`), and the handlers that
// run when a shell ends or a command fails (`trap`).
// Invariant: each shell has its own handlers: a subshell or a started script begins without any.
import type { Command } from "just-bash/browser"
import { type Node, statement } from "./syntax/nodes.ts"
import { bytes, program } from "./programs/program.ts"
import type { DescriptorState } from "./compat/outputs/saved-outputs.ts"
import type { InputState } from "./compat/inputs.ts"
import { type NamerefState, targetOf } from "./compat/namerefs.ts"
import { Threads } from "./compat/threads.ts"
import { quotedWord } from "./syntax/quoted-word.ts"

export const EXPORT_FUNCTIONS = "perch-export-functions"
/** A command whose arguments are the command to run, which may be a function. */
export const CALL = "perch-call"
/** The same for a command whose name is `$(…)`: without any words, its exit code is that of `$(…)`. */
export const CALL_OUTPUT = "perch-call-output"

const SIGNALS = new Set(
  "EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU WINCH ERR".split(
    " ",
  ),
)
const NUMBERS: Readonly<Record<string, string>> = { 0: "EXIT", 1: "HUP", 2: "INT", 3: "QUIT", 9: "KILL", 15: "TERM" }
/** Trap events of bash that the interpreter does not emit. */
const UNSUPPORTED = new Set(["DEBUG", "RETURN"])

/** Variables whose value is the time, which the interpreter lacks. */
export const CLOCKS = /^EPOCH(?:SECONDS|REALTIME)$/
const timeOf = (name: string): string => {
  const now = Date.now()
  return name === "EPOCHSECONDS" ? String(Math.floor(now / 1000)) : `${(now / 1000).toFixed(3)}000`
}

/** The variables of the shell that is running. */
export interface Variables {
  readonly get: (name: string) => string | undefined
  readonly set: (name: string, value: string) => void
}

/** The handlers of one shell: the script, a subshell of it, or a script that it starts. */
interface Level {
  readonly traps: Map<string, string>
  /** The depth of function calls at which `trap … ERR` was called: the handler does not apply to functions called from there. */
  depth: number
}

export class ShellSession {
  readonly #functions = new Map<string, Node>()
  readonly #exported = new Set<string>()
  readonly threads = new Threads()
  /** The shells around the command that is running, the innermost last. */
  levels: ReadonlyArray<Level> = []
  /** True if the failure of the last command has been handled. */
  #handled = false
  #handling = false

  /** The state of the shell whose command is running. */
  running: InputState & NamerefState & DescriptorState = { env: new Map() }

  readonly variables: Variables = {
    get: (name) => {
      if (CLOCKS.test(name)) this.running.env.set(name, timeOf(name))
      return this.running.env.get(targetOf(name, this.running) ?? name)
    },
    set: (name, value) => void this.running.env.set(name, value),
  }

  /** Records a function that a script defines. */
  define(name: string, node: Node): void {
    this.#functions.set(name, node)
  }

  functionNames(): Iterable<string> {
    return this.#functions.keys()
  }

  /** Definitions of the exported functions, to insert at the start of a script. */
  inherited(): ReadonlyArray<Node> {
    return Array.from(this.#exported).flatMap((name) => {
      const node = this.#functions.get(name)
      return node === undefined ? [] : [statement(node)]
    })
  }

  get #level(): Level {
    const level = this.levels.at(-1)
    if (level === undefined) throw new Error("a command ran outside of every shell")
    return level
  }

  /** Call it when a shell starts. It has no handlers yet; with `set -E` it inherits the ERR handler. */
  enter(errtrace: boolean): void {
    const outer = this.levels.at(-1)
    const inherited = errtrace ? outer?.traps.get("ERR") : undefined
    const traps = new Map(inherited === undefined ? [] : [["ERR", inherited] as const])
    this.levels = [...this.levels, { traps, depth: outer?.depth ?? 0 }]
  }

  leave(): void {
    this.levels = this.levels.slice(0, -1)
  }

  /** Removes and returns the EXIT handler of this shell; null if there is none. */
  takeExit(): string | null {
    const { traps } = this.#level
    const handler = traps.get("EXIT") ?? ""
    traps.delete("EXIT")
    return handler === "" ? null : handler
  }

  get handlesFailures(): boolean {
    return this.levels.some(({ traps }) => traps.has("ERR"))
  }

  /** Records the depth of function calls at which `trap` was called. */
  trapped(depth: number): void {
    this.#level.depth = depth
  }

  /** The handler of a signal in the shell that is running; undefined if there is none. */
  readonly handlerOf = (signal: string): string | undefined => this.levels.at(-1)?.traps.get(signal)

  /** Call it when a command starts or ends: a failure after that has not been handled yet. */
  unhandled(): void {
    this.#handled = false
  }

  /** The ERR handler to run after a failure; null if it has already run for this failure, does not apply, or is not set. */
  failure(callDepth: number, errtrace: boolean): string | null {
    const { traps, depth } = this.#level
    const handler = traps.get("ERR") ?? ""
    if (this.#handled || this.#handling || handler === "" || (callDepth > depth && !errtrace)) return null
    return handler
  }

  async handling<A>(run: () => Promise<A>): Promise<A> {
    this.#handling = true
    try {
      return await run()
    } finally {
      this.#handling = false
      this.#handled = true
    }
  }

  readonly programs: ReadonlyArray<Command> = [
    program("trap", async (args) => this.#trap(args)),
    program(EXPORT_FUNCTIONS, async (names) => {
      const unknown = names.filter((name) => !this.#functions.has(name))
      for (const name of names) this.#exported.add(name)
      const errors = unknown.map((name) => `bash: export: ${name}: not a function\n`).join("")
      return bytes("", errors, unknown.length === 0 ? 0 : 1)
    }),
  ]

  #trap(args: ReadonlyArray<string>) {
    const words = args[0] === "--" ? args.slice(1) : args
    if (words.length === 0 || words[0] === "-p") return bytes(this.#listed(words.slice(1)))
    const [handler = "", ...events] = words.length === 1 ? ["-", ...words] : words
    let [stderr, exitCode] = ["", 0]
    for (const event of events) {
      const name = NUMBERS[event] ?? event.toUpperCase().replace(/^SIG/, "")
      if (UNSUPPORTED.has(name)) {
        stderr += `bash: trap: ${event}: not supported by this shell\n`
        exitCode = 2
      } else if (!SIGNALS.has(name)) {
        stderr += `bash: trap: ${event}: invalid signal specification\n`
        exitCode = 1
      } else if (handler === "-") this.#level.traps.delete(name)
      else this.#level.traps.set(name, handler)
    }
    return bytes("", stderr, exitCode)
  }

  #listed(only: ReadonlyArray<string>): string {
    return Array.from(this.#level.traps)
      .filter(([name]) => only.length === 0 || only.includes(name))
      .map(([name, handler]) => `trap -- ${quotedWord(handler)} ${name.startsWith("E") ? name : `SIG${name}`}\n`)
      .join("")
  }
}
