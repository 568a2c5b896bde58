// What one run of the shell keeps beside the interpreter: its functions, those of them that children have, and what is to
// run when it ends (`export -f`, `trap … EXIT`).
// Invariant: what a script hands to `trap` runs once, after everything else, with the script's variables and functions.
import type { BashExecResult, Command } from "just-bash/browser"
import { type Node, statement } from "./syntax/nodes.ts"
import { bytes, program } from "./programs/program.ts"

/** A command inserted before `exit`: keeps the variables as they are then. */
export const LEAVING = "perch-leaving"
export const EXPORT_FUNCTIONS = "perch-export-functions"
/** Its arguments are a command, which may be a function. */
export const CALL = "perch-call"

const SIGNALS = new Set(
  "EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP TTIN TTOU WINCH".split(
    " ",
  ),
)
const NUMBERS: Readonly<Record<string, string>> = { 0: "EXIT", 1: "HUP", 2: "INT", 3: "QUIT", 9: "KILL", 15: "TERM" }
/** A script that ends without `exit` gives its variables back, this one with them. */
const ENDED = "__perch_trapped"
/** Events of the interpreter itself, which it does not emit. */
const UNSUPPORTED = new Set(["ERR", "DEBUG", "RETURN"])

interface LastScript {
  readonly script: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

export class ShellSession {
  readonly #functions = new Map<string, Node>()
  readonly #exported = new Set<string>()
  readonly #traps = new Map<string, string>()
  #env: Readonly<Record<string, string>> = {}
  #ending = false

  /** A function that a script defines. */
  define(name: string, node: Node): void {
    this.#functions.set(name, node)
  }

  functionNames(): Iterable<string> {
    return this.#functions.keys()
  }

  /** Definitions that a script begins with because another one has made them. */
  inherited(): ReadonlyArray<Node> {
    const names = this.#ending ? Array.from(this.#functions.keys()) : Array.from(this.#exported)
    return names.flatMap((name) => {
      const node = this.#functions.get(name)
      return node === undefined ? [] : [statement(node)]
    })
  }

  /** What is left to run after a script that ended so; null when it asked for nothing. */
  last({ exitCode, env: ended }: BashExecResult, cwd: string): LastScript | null {
    const handler = this.#traps.get("EXIT") ?? ""
    if (this.#ending || handler === "") return null
    this.#ending = true
    const script = `(exit ${exitCode})\n${handler}\nexit ${exitCode}`
    const env = Object.hasOwn(ended, ENDED) ? ended : this.#env
    return { script, env, cwd: env["PWD"] ?? cwd }
  }

  readonly programs: ReadonlyArray<Command> = [
    program("trap", async (args, { env, assignShellVariable }) => {
      await assignShellVariable?.(ENDED, "1")
      this.#env = Object.fromEntries(env)
      return this.#trap(args)
    }),
    program(LEAVING, async ([code], { env }) => {
      this.#env = Object.fromEntries(env)
      // `exit $?` is to have what it would have had.
      return bytes("", "", code === undefined ? Number(env.get("?") ?? 0) : 0)
    }),
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
      if (UNSUPPORTED.has(name)) stderr += `bash: trap: ${event}: not supported by this shell\n`
      else if (!SIGNALS.has(name)) {
        stderr += `bash: trap: ${event}: invalid signal specification\n`
        exitCode = 1
      } else if (handler === "-") this.#traps.delete(name)
      else this.#traps.set(name, handler)
    }
    return bytes("", stderr, exitCode)
  }

  #listed(only: ReadonlyArray<string>): string {
    return Array.from(this.#traps)
      .filter(([name]) => only.length === 0 || only.includes(name))
      .map(
        ([name, handler]) => `trap -- '${handler.replaceAll("'", "'\\''")}' ${name === "EXIT" ? name : `SIG${name}`}\n`,
      )
      .join("")
  }
}
