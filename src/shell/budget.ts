// What one run of the shell may do, in units of about a microsecond of work. Receives what is done; stops the run when
// it is too much.
// Invariant: the clock is not asked, so a script ends at the same place on every machine; memory does not grow with it.

/** About 0.3 s of work: some nine thousand commands of the shell itself, or about a thousand programs. */
const UNITS = 400_000

/** The interpreter asks its signal before every step; a command is about eight steps. */
const STEP = 6
/** Where scripts are evaluated inside each other without an end, steps are few and each holds all before it. */
const NESTED_STEP = 80
/** A program is looked for at two places, and gets a context of its own. */
const LOOK_UP = 180
const PROGRAMS = "/usr/bin"
const FILE_CALL = 8
/** Programs take their input apart into lines and words. */
const BYTES_PER_UNIT = 256
/** A script inside the script is parsed, and gets a shell of its own. */
const INNER_SCRIPT = 800
/** A script that `eval` or `source` has parsed is rewritten. */
const REWRITE = 40
/** Words are split and expanded. */
const WORDS_PER_UNIT = 2
/** Appending to an array copies it. */
const APPENDS_PER_UNIT = 2

export class ShellBudget {
  /** What the shell listens to; asking it costs a step. */
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  #left = UNITS
  #step = STEP
  #aborted = false

  /** `outer` ends the run from outside: an interrupt or a timeout. */
  constructor(outer: AbortSignal) {
    this.signal = Object.defineProperty(this.#controller.signal, "aborted", {
      get: () => {
        this.spend(this.#step)
        return this.#aborted
      },
    })
    if (outer.aborted) this.#abort()
    else outer.addEventListener("abort", () => this.#abort(), { once: true })
  }

  get exhausted(): boolean {
    return this.#left < 0
  }

  spend(units: number): void {
    if (this.#left < 0) return
    this.#left -= units
    if (this.#left < 0) this.#abort()
  }

  /** A call of the filesystem that moves so many bytes. */
  file(path: string, bytes = 0): void {
    this.spend(path.startsWith(PROGRAMS) ? LOOK_UP : FILE_CALL + Math.ceil(bytes / BYTES_PER_UNIT))
  }

  /** A script that may evaluate scripts that evaluate others: the interpreter counts no depth of theirs. */
  evaluates(): void {
    this.#step = NESTED_STEP
  }

  innerScript(): void {
    this.spend(INNER_SCRIPT)
  }

  rewrites(): void {
    this.spend(REWRITE)
  }

  /** What is piped or handed to one command. */
  input(bytes: number): void {
    if (bytes >= BYTES_PER_UNIT) this.spend(Math.floor(bytes / BYTES_PER_UNIT))
  }

  /** One command was called with so many arguments. */
  words(count: number): void {
    if (count >= WORDS_PER_UNIT) this.spend(Math.floor(count / WORDS_PER_UNIT))
  }

  /** The elements that one assignment has made. */
  elements(count: number): void {
    this.spend(count)
  }

  /** The append that is the `count`th of its place in the script. */
  append(count: number): void {
    this.spend(Math.ceil(count / APPENDS_PER_UNIT))
  }

  #abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#controller.abort()
  }
}
