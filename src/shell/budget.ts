// The budget of one run of the shell, in units of about a microsecond of work. Receives the work that is done; aborts the run
// when the budget is exhausted.
// Invariant: no clock is read, so a script ends at the same place on every machine; the accounting uses constant memory.

/** About 0.7 s of work: some twenty thousand builtin commands, or about three thousand programs. */
const UNITS = 800_000

/** Cost of a step. The interpreter reads `signal.aborted` before every step; a command has about eight steps. */
const STEP = 4
/** Cost of a step if scripts may evaluate scripts endlessly: steps are few then, and each keeps all earlier ones in memory. */
const NESTED_STEP = 160
/** Cost of one of the about three look-ups of a program that starts; with its context, they take about 0.2 ms. */
const LOOK_UP = 60
const PROGRAMS = "/usr/bin"
const FILE_CALL = 8
const BYTES_PER_UNIT = 256
/** Bytes of a program's input for one unit: half as many as of other bytes, since programs split their input into lines and words. */
const INPUT_PER_UNIT = 128
/** Cost of an argument of a command, or of an element of an array. */
const WORD = 2
/** Cost of a nested script, which is parsed and gets its own shell. */
const INNER_SCRIPT = 800
/** Cost of rewriting a script that `eval` or `source` has parsed. */
const REWRITE = 40

export class ShellBudget {
  /** The signal that the shell listens to; reading `aborted` costs a step. */
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  #left = UNITS
  #step = STEP
  #aborted = false

  /** `outer` aborts the run from outside: an interrupt or a timeout. */
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

  /** Charges a filesystem call that reads or writes `bytes` bytes. */
  file(path: string, bytes = 0): void {
    this.spend(path.startsWith(PROGRAMS) ? LOOK_UP : FILE_CALL + Math.ceil(bytes / BYTES_PER_UNIT))
  }

  /** Call it for a script that may evaluate scripts recursively: the interpreter does not limit the depth, so steps cost more. */
  evaluates(): void {
    this.#step = NESTED_STEP
  }

  innerScript(): void {
    this.spend(INNER_SCRIPT)
  }

  rewrites(): void {
    this.spend(REWRITE)
  }

  /** Charges the parsing of a script that a shell reads from its input. */
  reads(characters: number): void {
    this.spend(characters)
  }

  /** Charges the input of one command. */
  input(bytes: number): void {
    if (bytes >= INPUT_PER_UNIT) this.spend(Math.floor(bytes / INPUT_PER_UNIT))
  }

  /** Charges the arguments of one command, which were expanded and split. */
  words(count: number): void {
    this.spend(count * WORD)
  }

  /** Charges the array elements that one assignment has created. */
  elements(count: number): void {
    this.spend(count * WORD)
  }

  #abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#controller.abort()
  }
}
