// Collects the operations of a script that the shell blocked: files and programs that rules refuse, missing programs, and
// addresses that must not be reached. Invariant: at most ten, each once and with at most 300 characters.

const MAX_VIOLATIONS = 10
const MAX_LENGTH = 300

export class Violations {
  readonly #all = new Set<string>()

  add(violation: string): void {
    if (this.#all.size < MAX_VIOLATIONS) this.#all.add(violation.slice(0, MAX_LENGTH).toWellFormed())
  }

  get all(): ReadonlyArray<string> {
    return [...this.#all]
  }
}
