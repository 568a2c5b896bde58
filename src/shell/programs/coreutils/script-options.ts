// getopt and envsubst: the options of a script in a canonical order, and texts with the values of exported variables.
// Invariant: what getopt prints is quoted for `eval`, so no argument is evaluated.
import type { Command } from "just-bash/browser"
import { bytes, program, readOptions, stdinOf, UsageError } from "../program.ts"
import { quotedWord } from "../../syntax/quoted-word.ts"

const GETOPT = {
  flags: "auqQT",
  values: "lno",
  long: {
    alternative: "a",
    longoptions: "l=",
    long: "l=",
    name: "n=",
    options: "o=",
    quiet: "q",
    "quiet-output": "Q",
    test: "T",
    unquoted: "u",
  },
}

type Values = "none" | "required" | "optional"

const valuesOf = (colons: string): Values => (colons === "" ? "none" : colons === ":" ? "required" : "optional")

interface Known {
  readonly short: ReadonlyMap<string, Values>
  readonly long: ReadonlyMap<string, Values>
  /** True if an option may not follow an operand. */
  readonly strict: boolean
}

interface Arranged {
  readonly options: Array<string>
  readonly operands: Array<string>
  readonly errors: Array<string>
}

const longOption = (arg: string, rest: Array<string>, { long }: Known, { options, errors }: Arranged): void => {
  const [, given = "", inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(arg) ?? []
  const matching = long.has(given) ? [given] : Array.from(long.keys()).filter((name) => name.startsWith(given))
  const [name] = matching
  if (name === undefined) errors.push(`unrecognized option '--${given}'`)
  else if (matching.length > 1) errors.push(`option '--${given}' is ambiguous`)
  else {
    const values = long.get(name)
    const value = inline ?? (values === "required" ? rest.shift() : undefined)
    if (values === "none" && inline !== undefined) errors.push(`option '--${name}' doesn't allow an argument`)
    else if (values === "required" && value === undefined) errors.push(`option '--${name}' requires an argument`)
    else options.push(`--${name}`, ...(values === "none" ? [] : [quotedWord(value ?? "")]))
  }
}

const shortOptions = (arg: string, rest: Array<string>, { short }: Known, { options, errors }: Arranged): void => {
  for (let at = 1; at < arg.length; at += 1) {
    const letter = arg.charAt(at)
    const values = short.get(letter)
    if (values === undefined) {
      errors.push(`invalid option -- '${letter}'`)
      continue
    }
    options.push(`-${letter}`)
    if (values === "none") continue
    const inline = arg.slice(at + 1)
    const value = inline === "" && values === "required" ? rest.shift() : inline
    if (value === undefined) {
      options.pop()
      errors.push(`option requires an argument -- '${letter}'`)
    } else options.push(quotedWord(value))
    return
  }
}

const arranged = (args: ReadonlyArray<string>, known: Known): Arranged => {
  const found: Arranged = { options: [], operands: [], errors: [] }
  const rest = args.slice()
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      found.operands.push(...rest)
      break
    }
    if (arg.startsWith("--")) longOption(arg, rest, known, found)
    else if (arg.startsWith("-") && arg !== "-") shortOptions(arg, rest, known, found)
    else if (known.strict) {
      found.operands.push(arg, ...rest)
      break
    } else found.operands.push(arg)
  }
  return found
}

const getopt = program(
  "getopt",
  async (given) => {
    // The old form has the letters first, and prints words without quotes.
    const isOld = given[0] !== undefined && !given[0].startsWith("-")
    const args = isOld ? ["-u", "-o", ...given.slice(0, 1), "--", ...given.slice(1)] : given
    const end = args.indexOf("--")
    const { has, value, all, operands } = readOptions(end === -1 ? args : args.slice(0, end), GETOPT)
    if (has("T")) return bytes("", "", 4)
    const letters = value("o") ?? operands[0]
    if (letters === undefined) throw new UsageError("missing optstring argument")
    const parameters = [
      ...(value("o") === undefined ? operands.slice(1) : operands),
      ...(end === -1 ? [] : args.slice(end + 1)),
    ]
    const short = new Map<string, Values>()
    for (const [, letter = "", colons = ""] of letters.matchAll(/([^:+-])(:{0,2})/g))
      short.set(letter, valuesOf(colons))
    const long = new Map<string, Values>()
    for (const names of all("l"))
      for (const [, name = "", colons = ""] of names.matchAll(/([^\s,:]+)(:{0,2})/g)) long.set(name, valuesOf(colons))
    const found = arranged(parameters, { short, long, strict: letters.startsWith("+") })
    const plain = has("u")
    const unquote = (word: string): string => (plain ? word.replace(/^'|'$/g, "").replaceAll("'\\''", "'") : word)
    const words = [
      ...found.options.map(unquote),
      "--",
      ...found.operands.map((word) => (plain ? word : quotedWord(word))),
    ]
    const name = value("n") ?? "getopt"
    const errors = has("q") ? "" : found.errors.map((error) => `${name}: ${error}\n`).join("")
    return bytes(has("Q") ? "" : ` ${words.map(latin1).join(" ")}\n`, errors, found.errors.length === 0 ? 0 : 1)
  },
  2,
)

const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g

const envsubst = program("envsubst", async (args, context) => {
  const { has, operands } = readOptions(args, { flags: "v", long: { variables: "v" } })
  const [format, more] = operands
  if (more !== undefined) throw new UsageError("too many arguments")
  const named = format === undefined ? null : Array.from(format.matchAll(VARIABLE), ([, a, b]) => a ?? b ?? "")
  if (has("v")) return bytes((named ?? []).map((name) => `${name}\n`).join(""))
  const exported = context.exportedEnv ?? {}
  const result = stdinOf(context).replace(VARIABLE, (all, a?: string, b?: string) => {
    const name = a ?? b ?? ""
    if (named !== null && !named.includes(name)) return all
    return latin1(Object.hasOwn(exported, name) ? (exported[name] ?? "") : "")
  })
  return bytes(result)
})

export const SCRIPT_OPTION_PROGRAMS: ReadonlyArray<Command> = [getopt, envsubst]
