// jq: receives its arguments and inputs; prints every result of the filter for every input.
// Invariant: as in Debian's jq: exit code 2 for usage errors, 3 for an invalid filter, 5 for an error while it runs.
import { bytes, type Context, program, readInput, why } from "../program.ts"
import { checkNames } from "./check.ts"
import { builtInsFor, Halted } from "./generators.ts"
import { type Json, JsonError, readJson, type Shape, writeJson } from "./json.ts"
import { libraryFilters } from "./library.ts"
import { type JqOptions, optionsOf } from "./options.ts"
import { parseFilter } from "./parse.ts"
import { LimitError, RaisedError } from "./paths.ts"
import { Machine } from "./run.ts"
import type { Scope } from "./scope.ts"
import { FilterError } from "./tokens.ts"

const decoded = (latin1: string): string => Buffer.from(latin1, "latin1").toString("utf8")
const encoded = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const TOO_DEEP = "error: the filter calls itself too deeply"

class Printer {
  stdout = ""
  stderr = ""
  exitCode = 0
  /** The last result; undefined if there was none. */
  last: Json | undefined
  readonly #options: JqOptions
  readonly #shape: Shape

  constructor(options: JqOptions) {
    this.#options = options
    this.#shape = { indent: options.indent, sorted: options.sorted, ascii: options.ascii }
  }

  result(value: Json): void {
    const { raw, end } = this.#options
    this.last = value
    this.stdout += (raw && typeof value === "string" ? value : writeJson(value, this.#shape)) + end
  }

  fail(message: string, exitCode: number): void {
    this.stderr += `jq: ${message}\n`
    this.exitCode = exitCode
  }

  /** Reports a run that exceeded a limit. Its output is discarded, because an endless filter's output is useless. */
  stopped(message: string): void {
    this.stdout = ""
    this.fail(message, 5)
  }

  halted({ exitCode, value }: Halted): void {
    if (value !== undefined) this.stderr += typeof value === "string" ? value : `${writeJson(value)}\n`
    this.exitCode = exitCode
  }
}

interface Sources {
  readonly texts: ReadonlyArray<{ readonly name: string | null; readonly text: string }>
  readonly missing: ReadonlyArray<string>
}

const sourcesOf = async (files: ReadonlyArray<string>, context: Context): Promise<Sources> => {
  if (files.length === 0) return { texts: [{ name: null, text: decoded(await readInput(context, "-")) }], missing: [] }
  const texts: Array<Sources["texts"][number]> = []
  const missing: Array<string> = []
  for (const name of files) {
    try {
      texts.push({ name, text: decoded(await readInput(context, name)) })
    } catch (error) {
      missing.push(`error: Could not open file ${name}: ${why(error)}`)
    }
  }
  return { texts, missing }
}

const linesOf = (text: string): ReadonlyArray<string> => text.replace(/\n$/, "").split("\n")

/** Yields the inputs one at a time; `at.name` is the file of the current one. */
function* inputsOf({ texts }: Sources, { rawInput, slurp }: JqOptions, at: { name: string | null }): Generator<Json> {
  if (slurp) {
    if (rawInput) yield texts.map(({ text }) => text).join("")
    else yield texts.flatMap(({ text }) => Array.from(readJson(text)))
    return
  }
  for (const { name, text } of texts) {
    at.name = name
    if (!rawInput) yield* readJson(text)
    else if (text !== "") yield* linesOf(text)
  }
}

const scopeOf = (options: JqOptions, env: ReadonlyMap<string, Json>): { scope: Scope; names: ReadonlySet<string> } => {
  const named = new Map<string, Json>([
    ["$ENV", env],
    [
      "$__loc__",
      new Map<string, Json>([
        ["file", "<top-level>"],
        ["line", 1],
      ]),
    ],
    [
      "$ARGS",
      new Map<string, Json>([
        ["positional", options.positional],
        ["named", options.named],
      ]),
    ],
    ...Array.from(options.named, ([name, value]) => [`$${name}`, value] as const),
  ])
  let scope: Scope = null
  for (const [name, value] of named) scope = { kind: "variable", name, value, outer: scope }
  return { scope, names: new Set(named.keys()) }
}

/** Runs `work` and reports its error. Returns false when the run must end. */
const reported = (printer: Printer, work: () => void): boolean => {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof RaisedError) {
      printer.fail(`error (at <stdin>:0): ${error.message}`, 5)
      return true
    }
    if (error instanceof Halted) printer.halted(error)
    else if (error instanceof JsonError) printer.fail(`parse error: ${error.message}`, 4)
    else if (error instanceof LimitError) printer.stopped(error.message)
    else if (error instanceof RangeError) printer.stopped(TOO_DEEP)
    else throw error
    return false
  }
}

export const jqProgram = program(
  "jq",
  async (args, context) => {
    const options = await optionsOf(args, context)
    const printer = new Printer(options)
    const sources =
      options.noInput && options.files.length === 0 && !options.filter.includes("input")
        ? { texts: [], missing: [] }
        : await sourcesOf(options.files, context)
    for (const message of sources.missing) printer.fail(message, 2)
    const env = new Map<string, Json>(context.env)
    const at = { name: null as string | null }
    const inputs = inputsOf(sources, options, at)
    const host = {
      inputs,
      filename: () => at.name,
      env,
      seconds: () => Date.now() / 1000,
      print: (text: string) => void (printer.stderr += text),
    }
    const builtIns = builtInsFor(host)
    const library = libraryFilters()
    const { scope, names } = scopeOf(options, env)
    try {
      const filter = parseFilter(options.filter)
      checkNames(filter, { filters: new Set([...builtIns.keys(), ...library.keys()]), variables: names })
      const tick = () => {
        context.executionScope?.consumeWork(1, "jq")
        if (context.signal?.aborted === true) throw new LimitError("stopped")
      }
      const machine = new Machine(builtIns, library, tick)
      const once = (value: Json) =>
        reported(printer, () => {
          for (const result of machine.values(filter, scope, { value, path: null })) printer.result(result)
        })
      let next: IteratorResult<Json> | undefined
      const read = () => reported(printer, () => void (next = inputs.next()))
      if (options.noInput) once(null)
      else while (read() && next?.done === false && once(next.value));
    } catch (error) {
      if (!(error instanceof FilterError)) throw error
      printer.fail(`error: ${error.message}\njq: 1 compile error`, 3)
    }
    const { stdout, stderr, last } = printer
    const status = last === undefined ? 4 : last === null || last === false ? 1 : 0
    return bytes(encoded(stdout), stderr, printer.exitCode === 0 && options.exitStatus ? status : printer.exitCode)
  },
  2,
)
