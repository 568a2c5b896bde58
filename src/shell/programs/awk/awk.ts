// awk: receives its arguments and inputs; runs the program over every record.
// Invariant: as in Debian's awk: files, `name=value` and standard input in the order of the arguments; exit code 2 for errors.
import { bytes, type Context, command, readInput, UsageError, why } from "../program.ts"
import { type End, Ended, Interpreter, type Print, type Request, type Waiting } from "./interpreter.ts"
import { Memory } from "./machine.ts"
import { parseAwk } from "./parse-program.ts"
import type { AwkProgram, Rule } from "./program-tree.ts"
import { RecordReader } from "./records.ts"
import { unescaped } from "./tokens.ts"
import { given, isTrue, numberOf, textOf } from "./values.ts"

const decoded = (latin1: string): string => Buffer.from(latin1, "latin1").toString("utf8")
const encoded = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const ASSIGNMENT = /^([A-Za-z_]\w*)=([\s\S]*)$/

interface Arguments {
  readonly source: string
  readonly assignments: ReadonlyArray<string>
  readonly separator: string | null
  readonly operands: ReadonlyArray<string>
}

/** `-F t` means a tab, as POSIX requires. */
const separatorOf = (text: string): string => (text === "t" ? "\t" : unescaped(text))

const argumentsOf = async (args: ReadonlyArray<string>, context: Context): Promise<Arguments> => {
  const assignments: Array<string> = []
  const sources: Array<string> = []
  let separator: string | null = null
  let at = 0
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (arg === "--") {
      at += 1
      break
    }
    if (!arg.startsWith("-") || arg === "-") break
    const long = /^--(field-separator|assign|file|version)(?:=([\s\S]*))?$/.exec(arg)
    const letter =
      long === null ? arg.charAt(1) : { "field-separator": "F", assign: "v", file: "f", version: "V" }[long[1] ?? ""]
    if (letter === "V" || arg === "-W")
      return { source: 'BEGIN { print "awk of Perch"; exit }', assignments, separator, operands: [] }
    if (letter === undefined || !"Fvf".includes(letter)) throw new UsageError(`unknown option ${arg}`)
    const inline = long === null ? arg.slice(2) : long[2]
    const value =
      inline !== undefined && (inline !== "" || letter === "F") && !(inline === "" && long === null)
        ? inline
        : args[(at += 1)]
    if (value === undefined) throw new UsageError(`option requires an argument -- ${letter}`)
    if (letter === "F") separator = separatorOf(value)
    else if (letter === "v") {
      if (!ASSIGNMENT.test(value)) throw new UsageError(`improper assignment: -v ${value}`)
      assignments.push(value)
    } else sources.push(decoded(await fileOf(value, context)))
  }
  const rest = args.slice(at)
  if (sources.length === 0) {
    const [source] = rest
    if (source === undefined) throw new UsageError("usage: awk [-F fs] [-v var=value] [-f file | 'program'] [file ...]")
    return { source, assignments, separator, operands: rest.slice(1) }
  }
  return { source: sources.join("\n"), assignments, separator, operands: rest }
}

const fileOf = async (name: string, context: Context): Promise<string> => {
  try {
    return await readInput(context, name === "/dev/stdin" ? "-" : name)
  } catch (error) {
    throw new UsageError(`cannot open ${name} (${why(error)})`)
  }
}

interface Written {
  readonly name: string
  readonly text: string
  readonly append: boolean
}

class Run {
  readonly #program: AwkProgram
  readonly #context: Context
  readonly #memory: Memory
  readonly #interpreter: Interpreter
  readonly #inRange = new Set<Rule>()
  #reader: RecordReader | null = null
  #operand = 1
  #read = false
  readonly #pending: Array<Written> = []
  /** The input of the commands that the program prints to. */
  readonly #inputs = new Map<string, string>()
  #flushed = ""
  /** What was printed while such a command is open: as in awk, it is written after the output of that command. */
  #buffered = ""
  stderr = ""
  exitCode = 0

  constructor(program: AwkProgram, memory: Memory, context: Context) {
    this.#program = program
    this.#memory = memory
    this.#context = context
    const tick = () => {
      context.executionScope?.consumeWork(1, "awk")
      if (context.signal?.aborted === true) throw new UsageError("stopped")
    }
    this.#interpreter = new Interpreter(program, memory, (...printed) => this.#print(...printed), tick)
  }

  get stdout(): string {
    return this.#flushed + this.#buffered
  }

  /** Writes what is buffered. */
  #empty(): void {
    this.#flushed = this.stdout
    this.#buffered = ""
  }

  #print(...[text, file, to]: Parameters<Print>): void {
    const append = to === ">>"
    if (file !== null && to === "|") {
      if (!this.#inputs.has(file)) this.#empty()
      this.#inputs.set(file, (this.#inputs.get(file) ?? "") + text)
    } else if (file === null || file === "/dev/stdout" || file === "-") this.#buffered += text
    else if (file === "/dev/stderr") this.stderr += text
    else {
      const last = this.#pending.at(-1)
      if (append && last?.name === file) this.#pending[this.#pending.length - 1] = { ...last, text: last.text + text }
      else this.#pending.push({ name: file, text, append })
    }
  }

  /** Writes the output that was printed to files so far. */
  async #flush(): Promise<void> {
    for (const { name, text, append } of this.#pending.splice(0)) {
      if (name === "/dev/null") continue
      const path = this.#context.fs.resolvePath(this.#context.cwd, name)
      try {
        if (append) await this.#context.fs.appendFile(path, text)
        else await this.#context.fs.writeFile(path, text)
      } catch (error) {
        throw new UsageError(`cannot open ${name} (${why(error)})`)
      }
    }
  }

  async #answer({ type, name }: Request): Promise<string | null> {
    if (type === "record") return this.#next()
    await this.#flush()
    if (type === "file") {
      try {
        return decoded(await readInput(this.#context, name === "/dev/stdin" ? "-" : name))
      } catch {
        // For a file that can't be read, getline returns -1.
        return null
      }
    }
    if (type === "close") return this.#close(name)
    const { stdout, exitCode } = await this.#run(name, "")
    this.#empty()
    if (type === "command") return stdout
    this.#flushed += stdout
    return String(exitCode)
  }

  async #run(command: string, input: string): Promise<{ readonly stdout: string; readonly exitCode: number }> {
    const { exec, cwd, signal } = this.#context
    if (exec === undefined) throw new UsageError("no command can be run here")
    const ran = await exec(command, {
      cwd,
      ...(input === "" ? {} : { stdin: encoded(input), stdinKind: "bytes" as const }),
      ...(signal === undefined ? {} : { signal }),
    })
    this.stderr += ran.stderr
    return { stdout: ran.stdoutKind === "bytes" ? decoded(ran.stdout) : ran.stdout, exitCode: ran.exitCode }
  }

  /** Runs a command that the program has printed to; returns its exit code, or null if there is none of that name. */
  async #close(command: string): Promise<string | null> {
    const input = this.#inputs.get(command)
    if (input === undefined) return null
    this.#inputs.delete(command)
    const { stdout, exitCode } = await this.#run(command, input)
    this.#flushed += stdout
    return String(exitCode)
  }

  async #drive<A>(work: Waiting<A>): Promise<A> {
    let step = work.next()
    while (step.done !== true) step = work.next(await this.#answer(step.value))
    return step.value
  }

  /** Opens the next operand that is a file; returns false when there is none. */
  async #open(): Promise<boolean> {
    const memory = this.#memory
    for (; this.#operand < numberOf(memory.get("ARGC")); this.#operand += 1) {
      const name = textOf(memory.array("ARGV").get(String(this.#operand)))
      const [, variable, value = ""] = ASSIGNMENT.exec(name) ?? []
      if (variable !== undefined) memory.set(variable, given(unescaped(value)))
      else if (name !== "") {
        this.#operand += 1
        return await this.#openFile(name)
      }
    }
    if (this.#read) return false
    return await this.#openFile("-")
  }

  async #openFile(name: string): Promise<boolean> {
    this.#read = true
    await this.#flush()
    try {
      this.#reader = new RecordReader(decoded(await fileOf(name, this.#context)), this.#interpreter.steps.reads)
      this.#memory.set("FILENAME", name === "-" ? "" : name)
      this.#memory.set("FNR", 0)
      return true
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      // As in awk: the other files are read, and the exit code reports the error.
      this.stderr += `awk: ${error.message}\n`
      this.exitCode = 2
      return await this.#open()
    }
  }

  async #next(): Promise<string | null> {
    for (;;) {
      if (this.#reader === null && !(await this.#open())) return null
      const record = this.#reader?.next(this.#memory.text("RS")) ?? null
      if (record !== null) return record
      this.#reader = null
    }
  }

  *#holds(rule: Rule): Waiting<boolean> {
    const [first, last] = rule.patterns
    if (first === undefined) return true
    if (last === undefined) return isTrue(yield* this.#interpreter.value(first))
    if (!this.#inRange.has(rule) && !isTrue(yield* this.#interpreter.value(first))) return false
    this.#inRange.add(rule)
    if (isTrue(yield* this.#interpreter.value(last))) this.#inRange.delete(rule)
    return true
  }

  *#record(): Waiting<End | null> {
    for (const rule of this.#program.rules) {
      if (!(yield* this.#holds(rule))) continue
      const action = rule.action ?? { type: "print" as const, formatted: false, args: [], output: null }
      const end = yield* this.#interpreter.run(action)
      if (end !== null) return end
    }
    return null
  }

  async #ended(work: Waiting<End | null>): Promise<End | null> {
    try {
      return await this.#drive(work)
    } catch (error) {
      if (error instanceof Ended) return error.end
      throw error
    }
  }

  #exits(end: End | null): boolean {
    if (end?.type !== "exit") return false
    if (end.value !== undefined) this.exitCode = Math.trunc(numberOf(end.value)) & 255
    return true
  }

  async all(): Promise<void> {
    const { begin, rules, end } = this.#program
    let exits = false
    for (const block of begin) exits ||= this.#exits(await this.#ended(this.#interpreter.run(block)))
    if (!exits && rules.length + end.length > 0) {
      for (let record = await this.#next(); record !== null; record = await this.#next()) {
        this.#memory.setRecord(record)
        this.#interpreter.counted(true)
        const how = await this.#ended(this.#record())
        if (how?.type === "nextfile") this.#reader = null
        exits = this.#exits(how)
        if (exits) break
      }
    }
    // END blocks also run after an early `exit`.
    for (const block of end) if (this.#exits(await this.#ended(this.#interpreter.run(block)))) break
    await this.#flush()
    for (const command of Array.from(this.#inputs.keys())) await this.#close(command)
  }

  /** Reports an error. Output that was printed to files before it is written. */
  async fail(message: string): Promise<void> {
    this.stderr += `awk: ${message}\n`
    this.exitCode = 2
    await this.#flush().catch(() => undefined)
  }
}

const memoryFor = ({ assignments, separator, operands }: Arguments, context: Context): Memory => {
  const memory = new Memory({
    FS: separator ?? " ",
    OFS: " ",
    ORS: "\n",
    RS: "\n",
    NR: 0,
    NF: 0,
    FNR: 0,
    FILENAME: "",
    SUBSEP: "\u001c",
    CONVFMT: "%.6g",
    OFMT: "%.6g",
    RSTART: 0,
    RLENGTH: -1,
    ARGC: operands.length + 1,
  })
  const argv = memory.array("ARGV")
  ;["awk", ...operands].forEach((operand, at) => argv.set(String(at), given(operand)))
  const environ = memory.array("ENVIRON")
  for (const [name, value] of context.env) environ.set(name, given(value))
  for (const assignment of assignments) {
    const [, name = "", value = ""] = ASSIGNMENT.exec(assignment) ?? []
    memory.set(name, given(unescaped(value)))
  }
  return memory
}

const messageOf = (error: unknown): string => {
  if (error instanceof RangeError) return "recursion depth exceeded"
  if (!(error instanceof UsageError)) throw error
  return error.message
}

const run = async (args: ReadonlyArray<string>, context: Context) => {
  let running: Run | null = null
  try {
    const given = await argumentsOf(args, context)
    running = new Run(parseAwk(given.source), memoryFor(given, context), context)
    await running.all()
  } catch (error) {
    const message = messageOf(error)
    if (running === null) return bytes("", `awk: ${message}\n`, 2)
    await running.fail(message)
  }
  return bytes(encoded(running.stdout), running.stderr, running.exitCode)
}

export const awkProgram = command("awk", run)
