// Receives what each statement of a script printed, as it ends; returns both outputs in the order in which they came.
// Invariant: what is given is made of exactly the outputs that the whole script had; where a statement's output went
// elsewhere, its own two outputs follow one after the other.

import { NO_NODES, type PrintingNodes, printingNodes } from "../syntax/printing-nodes.ts"

/** More than this is not kept in order. */
const MAX_CHARACTERS = 1_000_000

/** What the statements inside a statement, or inside the script, printed. */
class Printed {
  stdout = ""
  stderr = ""
  both = ""
  /** How many characters of it were printed as they came. */
  printed = 0

  add(stdout: string, stderr: string, both: string): void {
    if (this.both.length > MAX_CHARACTERS) return
    this.stdout += stdout
    this.stderr += stderr
    this.both += both
  }

  /** Both outputs as they came, if they are these. */
  of(stdout: string, stderr: string): string | null {
    return stdout.length + stderr.length === this.both.length && stdout === this.stdout && stderr === this.stderr
      ? this.both
      : null
  }
}

export class PrintOrder {
  readonly #print: ((text: string) => void) | undefined
  #around = new Printed()
  /** The nodes of the script that print to its own output where it is now; null at its top, where each does. */
  #printing: PrintingNodes | null = null

  /** `print` receives the script's output as it comes, as far as that is known before the script ends. */
  constructor(print?: (text: string) => void) {
    this.#print = print
  }

  /** Runs a statement or a pipeline, which may have others inside. */
  readonly during = async (node: unknown, run: () => Promise<unknown>): Promise<unknown> => {
    const around = this.#around
    const printing = this.#printing
    const inside = new Printed()
    const prints = this.#print !== undefined && (printing === null || printing.has(node))
    this.#around = inside
    this.#printing = prints ? printingNodes(node) : NO_NODES
    const ended = (printed: unknown) => {
      this.#around = around
      this.#printing = printing
      if (typeof printed !== "object" || printed === null) return
      const [stdout, stderr] = [textAt(printed, "stdout"), textAt(printed, "stderr")]
      const both = inside.of(stdout, stderr) ?? stdout + stderr
      around.add(stdout, stderr, both)
      if (!prints) return
      around.printed += both.length
      if (both.length > inside.printed) this.#print?.(both.slice(inside.printed))
    }
    try {
      const result = await run()
      ended(result)
      return result
    } catch (error) {
      // `exit` and its like leave a statement with what it had printed.
      ended(error)
      throw error
    }
  }

  /** Both outputs of the script as a terminal shows them; null when that is not known. */
  of(stdout: string, stderr: string): string | null {
    return this.#around.of(stdout, stderr)
  }
}

const textAt = (printed: object, key: "stdout" | "stderr"): string => {
  const text: unknown = Reflect.get(printed, key)
  return typeof text === "string" ? text : ""
}
