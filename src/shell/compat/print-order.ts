// Receives the output of each statement of a script when it ends; returns stdout and stderr merged in the order of printing.
// Invariant: the result consists of exactly the two outputs of the whole script; where the order within a statement is not
// known, its stderr follows its stdout, except for a trace (`set -x`).

import { NO_NODES, type PrintingNodes, printingNodes } from "../syntax/printing-nodes.ts"

/** Output beyond this length is not merged in order. */
const MAX_CHARACTERS = 1_000_000

const TRACE = /^\++ /

/** The outputs of the statements inside a statement, or inside the script. */
class Printed {
  stdout = ""
  stderr = ""
  both = ""
  /** How many characters of `both` have been passed to `print`. */
  printed = 0

  add(stdout: string, stderr: string, both: string): void {
    if (this.both.length > MAX_CHARACTERS) return
    this.stdout += stdout
    this.stderr += stderr
    this.both += both
  }

  /** Both outputs of a statement that has the statements inside, and may have printed a trace before them. */
  around(stdout: string, stderr: string): string {
    const traced = TRACE.test(stderr)
    const own = traced ? Math.max(0, stderr.length - this.stderr.length) : 0
    const both = this.of(stdout, stderr.slice(own))
    if (both !== null) return stderr.slice(0, own) + both
    return traced ? stderr + stdout : stdout + stderr
  }

  /** Both outputs in order, if they consist of exactly `stdout` and `stderr`; otherwise null. */
  of(stdout: string, stderr: string): string | null {
    return stdout.length + stderr.length === this.both.length && stdout === this.stdout && stderr === this.stderr
      ? this.both
      : null
  }
}

interface Place {
  readonly around: Printed
  /** The nodes at the current level that print to the script's own output; null at the top level, where every node does. */
  readonly printing: PrintingNodes | null
}

/** A place for a command in the background: the result of its statement does not contain its output. */
export const nowhere = (): Place => ({ around: new Printed(), printing: NO_NODES })

export class PrintOrder {
  readonly #print: ((text: string) => void) | undefined
  /** Where the command that is running prints. */
  place: Place = { around: new Printed(), printing: null }

  /** `print` receives the script's output while it runs, as far as it is known before the script ends. */
  constructor(print?: (text: string) => void) {
    this.#print = print
  }

  /**
   * Runs a statement, a pipeline or a command with `2>&1`, which may contain others, and records its output. The output of the
   * command becomes that of the statements inside in their order.
   */
  readonly during = async (node: unknown, run: () => Promise<unknown>, merges: boolean): Promise<unknown> => {
    const place = this.place
    const { around, printing } = place
    const inside = new Printed()
    const prints = this.#print !== undefined && (printing === null || printing.has(node))
    this.place = { around: inside, printing: prints ? printingNodes(node) : NO_NODES }
    const ended = (printed: unknown) => {
      this.place = place
      if (typeof printed !== "object" || printed === null) return
      const [stdout, stderr] = [textAt(printed, "stdout"), textAt(printed, "stderr")]
      const isMerged = merges && stderr === "" && stdout === inside.stdout + inside.stderr
      const both = isMerged ? inside.both : inside.around(stdout, stderr)
      if (isMerged) Reflect.set(printed, "stdout", both)
      around.add(isMerged ? both : stdout, stderr, both)
      if (!prints) return
      around.printed += both.length
      if (both.length > inside.printed) this.#print?.(both.slice(inside.printed))
    }
    try {
      const result = await run()
      ended(result)
      return result
    } catch (error) {
      // Commands such as `exit` throw; the error contains the output up to then.
      ended(error)
      throw error
    }
  }

  /** Both outputs of the script as a terminal would show them; null if their order is not known. */
  of(stdout: string, stderr: string): string | null {
    return this.place.around.of(stdout, stderr)
  }
}

const textAt = (printed: object, key: "stdout" | "stderr"): string => {
  const text: unknown = Reflect.get(printed, key)
  return typeof text === "string" ? text : ""
}
