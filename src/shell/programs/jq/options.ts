// Receives the arguments of jq; returns the filter, the files and the print options.
// Invariant: an unknown option is an error, never ignored.
import { type Context, readInput, UsageError, why } from "../program.ts"
import { type Json, readJson } from "./json.ts"

export interface JqOptions {
  readonly filter: string
  readonly files: ReadonlyArray<string>
  readonly named: ReadonlyMap<string, Json>
  readonly positional: ReadonlyArray<Json>
  readonly noInput: boolean
  readonly rawInput: boolean
  readonly slurp: boolean
  readonly exitStatus: boolean
  readonly raw: boolean
  readonly ascii: boolean
  readonly sorted: boolean
  /** The indentation of one level; null prints a result on one line. */
  readonly indent: string | null
  /** The text after each result. */
  readonly end: string
}

const LONG: Readonly<Record<string, string>> = {
  "null-input": "n",
  "raw-input": "R",
  slurp: "s",
  "compact-output": "c",
  "raw-output": "r",
  "join-output": "j",
  "ascii-output": "a",
  "sort-keys": "S",
  "exit-status": "e",
  "color-output": "C",
  "monochrome-output": "M",
  "from-file": "f",
  tab: "tab",
  unbuffered: "M",
  "raw-output0": "0",
  indent: "indent",
  arg: "arg",
  argjson: "argjson",
  slurpfile: "slurpfile",
  rawfile: "rawfile",
  args: "args",
  jsonargs: "jsonargs",
}

const decoded = (latin1: string): string => Buffer.from(latin1, "latin1").toString("utf8")

const fileText = async (name: string, context: Context): Promise<string> => {
  try {
    return decoded(await readInput(context, name))
  } catch (error) {
    throw new UsageError(`error: Could not open ${name}: ${why(error)}`)
  }
}

const jsonOf = (text: string, option: string): ReadonlyArray<Json> => {
  try {
    return Array.from(readJson(text))
  } catch (error) {
    if (error instanceof RangeError) throw error
    throw new UsageError(`Invalid JSON text passed to --${option}`)
  }
}

const oneJson = (text: string, option: string): Json => {
  const [value, more] = jsonOf(text, option)
  if (value === undefined || more !== undefined) throw new UsageError(`Invalid JSON text passed to --${option}`)
  return value
}

/** The flags in an argument, as letters or a long name; null for an operand. */
const flagsOf = (arg: string): ReadonlyArray<string> | null => {
  if (/^-[A-Za-z0]+$/.test(arg)) return Array.from(arg.slice(1))
  // An argument that starts with a minus may also be a filter.
  if (!/^--[a-z]/.test(arg)) return null
  const name = arg.slice(2)
  const meant = Object.hasOwn(LONG, name) ? LONG[name] : undefined
  if (meant === undefined) throw new UsageError(`Unknown option: ${arg}`)
  return [meant]
}

const FLAGS = new Set("nRscrjaSeCMf0".split(""))

export const optionsOf = async (args: ReadonlyArray<string>, context: Context): Promise<JqOptions> => {
  const flags = new Set<string>()
  const named = new Map<string, Json>()
  const positional: Array<Json> = []
  const operands: Array<string> = []
  let rest: "files" | "args" | "jsonargs" = "files"
  let indent = "  "
  let given: string | null = null
  let at = 0
  const value = (flag: string): string => {
    at += 1
    return args[at] ?? fail(`--${flag} takes a value`)
  }
  const fail = (message: string): never => {
    throw new UsageError(message)
  }
  const operand = (arg: string): void => {
    if (given === null && operands.length === 0 && !flags.has("f")) given = arg
    else if (rest === "args") positional.push(arg)
    else if (rest === "jsonargs") positional.push(oneJson(arg, "jsonargs"))
    else operands.push(arg)
  }
  let onlyOperands = false
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? ""
    if (arg === "--" && !onlyOperands) {
      onlyOperands = true
      continue
    }
    for (const flag of (onlyOperands ? null : flagsOf(arg)) ?? [null]) {
      if (flag === null) operand(arg)
      else if (flag === "args" || flag === "jsonargs") rest = flag
      else if (flag === "arg") named.set(value(flag), value(flag))
      else if (flag === "argjson") named.set(value(flag), oneJson(value(flag), flag))
      else if (flag === "slurpfile") named.set(value(flag), jsonOf(await fileText(value(flag), context), flag))
      else if (flag === "rawfile") named.set(value(flag), await fileText(value(flag), context))
      else if (flag === "tab") indent = "\t"
      else if (flag === "indent") {
        const width = Number(value(flag))
        if (!(width >= 0 && width <= 7)) fail("Cannot indent more than 7 characters")
        if (width === 0) flags.add("c")
        indent = " ".repeat(width)
      } else if (FLAGS.has(flag)) flags.add(flag)
      else fail(`Unknown option: ${arg}`)
    }
  }
  if (flags.has("f")) {
    // With -f, the first operand is the file that contains the filter.
    if (given !== null) operands.unshift(given)
    given = await fileText(operands.shift() ?? fail("-f takes a file"), context)
  }
  return {
    filter: given ?? fail("a filter is needed"),
    files: operands,
    named,
    positional,
    noInput: flags.has("n"),
    rawInput: flags.has("R"),
    slurp: flags.has("s"),
    exitStatus: flags.has("e"),
    raw: flags.has("r") || flags.has("j") || flags.has("0"),
    ascii: flags.has("a"),
    sorted: flags.has("S"),
    indent: flags.has("c") ? null : indent,
    end: flags.has("j") ? "" : flags.has("0") ? "\0" : "\n",
  }
}
