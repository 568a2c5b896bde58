// Receives what each statement of a script printed, as it ends; returns both outputs in the order in which they came.
// Invariant: what is given is made of exactly the outputs that the whole script had; where a statement's output went
// elsewhere, its own two outputs follow one after the other.

/** More than this is not kept in order. */
const MAX_CHARACTERS = 1_000_000

/** What the statements inside a statement, or inside the script, printed. */
class Printed {
  stdout = ""
  stderr = ""
  both = ""

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
  #around = new Printed()

  /** Runs a statement, which may have others inside. */
  readonly during = async (run: () => Promise<unknown>): Promise<unknown> => {
    const around = this.#around
    const inside = new Printed()
    this.#around = inside
    const ended = (printed: unknown) => {
      this.#around = around
      if (typeof printed !== "object" || printed === null) return
      const [stdout, stderr] = [textAt(printed, "stdout"), textAt(printed, "stderr")]
      around.add(stdout, stderr, inside.of(stdout, stderr) ?? stdout + stderr)
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
