// What a script tried and the shell did not let it do: files that rules refuse, programs that rules refuse or that are not
// there, addresses that may not be reached. Invariant: at most ten, each once and at most 300 characters.

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
