// Adapts the shell's own programs to Debian's: accepts combined options, and adds options that they lack.
// Receives a program's arguments; passes them on in the form that the program supports, or corrects its output.
// Invariant: arguments that are not handled here are passed to the program unchanged.
import type { Command, ExecResult } from "just-bash/browser"
import { ownValue } from "../../schemas/own-value.ts"
import { bytes } from "../programs/program.ts"
import { placed } from "./copies.ts"
import { type Correct, corrected, separated } from "./correction.ts"
import { shell } from "./scripts/shells.ts"
import { date } from "./date.ts"
import { quotedWord } from "../syntax/quoted-word.ts"

const PASTED: Readonly<Record<string, string>> = { n: "\n", t: "\t", "0": "", "\\": "\\" }

/** Without a file operand, paste reads its standard input. */
const paste: Correct = async (args, original) => {
  const words = separated(args, "d", "sz")
  const list = words.indexOf("-d") + 1
  if (list > 0) words[list] = (words[list] ?? "").replace(/\\([nt0\\])/g, (_, letter) => PASTED[String(letter)] ?? "")
  const named = words.some((word, at) => (word === "-" || !word.startsWith("-")) && words[at - 1] !== "-d")
  if (!named) return original([...words, "-"])
  const result = await original(words)
  // The program reports its input as consumed even if it has read only files.
  return words.includes("-") ? result : { ...result, internalStdinConsumed: 0 }
}

/** rg reports that it has consumed its input also when it has searched a file: without that report, the next command gets the input. */
const rg: Correct = async (args, original, { fs, cwd }) => {
  const result = await original([...args])
  const searches = await fs.exists(fs.resolvePath(cwd, args.at(-1) ?? ""))
  return searches ? { ...result, internalStdinConsumed: 0 } : result
}

/** With `-P` or `-a`, copies a link as a link. A single file is copied as with `-L`. */
const cp: Correct = async (args, original, context) => {
  const all = args.some((arg) => /^-[a-zA-Z]*a/.test(arg) || arg === "--archive")
  const isTree = all || args.some((arg) => /^-[a-zA-Z]*[rR]/.test(arg) || arg === "--recursive")
  const links = all || args.some((arg) => /^-[a-zA-Z]*[Pd]/.test(arg) || arg === "--no-dereference")
  const words = args.flatMap((arg) => {
    if (arg === "--archive") return ["-r"]
    if (arg === "--no-dereference" || (arg === "--dereference" && !isTree)) return []
    if (!/^-[a-zA-Z]+$/.test(arg)) return [arg]
    const kept = arg.replace("a", "r").replace(isTree ? /[PdT]/g : /[PdTLH]/g, "")
    return kept === "-" ? [] : [kept]
  })
  const operands = words.filter((word) => !word.startsWith("-"))
  const target = operands.at(-1)
  if (!links || target === undefined || operands.length < 2) return original(words)
  const targetPath = context.fs.resolvePath(context.cwd, target)
  const into = (await context.fs.exists(targetPath)) && (await context.fs.stat(targetPath)).isDirectory
  const others: Array<string> = []
  for (const name of operands.slice(0, -1)) {
    const path = context.fs.resolvePath(context.cwd, name)
    const found = await context.fs.lstat(path).catch(() => null)
    if (found === null || !found.isSymbolicLink) {
      others.push(name)
      continue
    }
    const place = into ? `${targetPath}/${name.slice(name.lastIndexOf("/") + 1)}` : targetPath
    await context.fs.rm(place, { force: true })
    await context.fs.symlink(await context.fs.readlink(path), place)
  }
  if (others.length === 0) return bytes("")
  return original([...words.filter((word) => word.startsWith("-")), ...others, target])
}

/** If the link name is a directory, creates the link inside it. */
const ln: Correct = async (args, original, context) => {
  const operands = args.filter((arg) => !arg.startsWith("-"))
  const options = args.filter((arg) => arg.startsWith("-"))
  const place = operands.at(-1)
  const plain = options.some((option) => /^-[a-z]*[nT]/.test(option))
  const has = (option: RegExp): boolean => options.some((given) => option.test(given))
  const forced = has(/^(?:-[a-z]*s|--symbolic)/i) && has(/^(?:-[a-z]*f|--force)/i)
  // The program does not replace a link to a file that does not exist.
  const clear = async (name: string): Promise<void> => {
    const path = context.fs.resolvePath(context.cwd, name)
    if (forced && !(await context.fs.exists(path))) await context.fs.rm(path, { force: true })
  }
  if (operands.length < 2 || place === undefined) return original([...args])
  const path = context.fs.resolvePath(context.cwd, place)
  const directory = !plain && (await context.fs.exists(path)) && (await context.fs.stat(path)).isDirectory
  if (!directory) {
    await clear(place)
    return original([...args])
  }
  let [stderr, exitCode] = ["", 0]
  for (const target of operands.slice(0, -1)) {
    const name = `${place}/${target.slice(target.lastIndexOf("/") + 1)}`
    await clear(name)
    const made = await original([...options, target, name])
    stderr += made.stderr.replace(/EEXIST[^\n]*/, `failed to create symbolic link '${name}': File exists`)
    exitCode = Math.max(exitCode, made.exitCode)
  }
  return bytes("", stderr, exitCode)
}

/** The words of `-u NAME` options, which precede everything else. */
const unsetBy = (
  args: ReadonlyArray<string>,
): { readonly names: ReadonlyArray<string>; readonly rest: ReadonlyArray<string> } => {
  const names: Array<string> = []
  let at = 0
  for (; at < args.length; at += 1) {
    const [, attached] = /^(?:-u|--unset=)([\s\S]+)$/.exec(args[at] ?? "") ?? []
    if (attached !== undefined) names.push(attached)
    else if (args[at] === "-u" || args[at] === "--unset") names.push(args[(at += 1)] ?? "")
    else break
  }
  return { names, rest: args.slice(at) }
}

const printed = (lines: ReadonlyArray<string>, exitCode = 0): ExecResult => ({
  stdout: lines.map((line) => `${line}\n`).join(""),
  stderr: "",
  exitCode,
})

const listed = (variables: ReadonlyMap<string, string>): ExecResult =>
  printed(Array.from(variables, ([name, value]) => `${name}=${value}`))

/** Only exported variables are in the environment; the interpreter would list all, and pass them to commands. */
const env: Correct = async (args, original, context) => {
  const emptied = args[0] === "-i" || args[0] === "-" || args[0] === "--ignore-environment"
  const { names, rest: words } = unsetBy(emptied ? args.slice(1) : args)
  const at = words.findIndex((arg) => !/^[A-Za-z_]\w*=/.test(arg))
  const given = at === -1 ? words : words.slice(0, at)
  const called = at === -1 ? [] : words.slice(at + (words[at] === "--" ? 1 : 0))
  const [name = ""] = called
  if (name.startsWith("-") || context.execWithInheritedStdin === undefined) return original([...args])
  const variables = new Map(emptied ? [] : Object.entries(context.exportedEnv ?? {}))
  for (const unset of names) variables.delete(unset)
  for (const pair of given) variables.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
  if (called.length === 0 || (called.length === 1 && (name === "env" || name === "printenv"))) return listed(variables)
  // Programs are only found with a PATH.
  const path = { PATH: context.env.get("PATH") ?? "/usr/bin:/bin" }
  const pairs = given.map(
    (pair) => `${pair.slice(0, pair.indexOf("="))}=${quotedWord(pair.slice(pair.indexOf("=") + 1))}`,
  )
  return context.execWithInheritedStdin([...pairs, quotedWord(name)].join(" "), {
    cwd: context.cwd,
    args: called.slice(1),
    replaceEnv: true,
    env: { ...Object.fromEntries(variables), ...path },
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  })
}

/** As `env`: a variable that is not exported has no value here. */
const printenv: Correct = async (args, original, { exportedEnv = {} }) => {
  if (args.some((arg) => arg.startsWith("-"))) return original([...args])
  if (args.length === 0) return listed(new Map(Object.entries(exportedEnv)))
  const values = args.flatMap((name) => ownValue(exportedEnv, name) ?? [])
  return printed(values, values.length < args.length ? 1 : 0)
}

const nl: Correct = async (args, original) => {
  const words = separated(args, "bwsvinhfl", "p")
  const valueOf = (option: string): string | undefined => words[words.lastIndexOf(option) + 1 || words.length]
  const result = await original(words)
  const separator = valueOf("-s") ?? "\t"
  const blank = " ".repeat(Number(valueOf("-w") ?? 6))
  // A line without a number starts with as many blanks as a number and its separator take.
  const lines = result.stdout
    .split("\n")
    .map((line) => (line === blank + separator ? blank + " ".repeat(separator.length) : line))
  return { ...result, stdout: lines.join("\n") }
}

export const CORRECTIONS: ReadonlyArray<Command> = [
  corrected("paste", paste),
  corrected("rg", rg),
  corrected("cp", placed("cp", cp)),
  corrected(
    "mv",
    placed("mv", (args, original) => original([...args])),
  ),
  corrected("ln", ln),
  corrected("env", env),
  corrected("printenv", printenv),
  corrected("date", date),
  corrected("nl", nl),
  corrected("bash", shell("bash")),
  corrected("sh", shell("sh")),
]
