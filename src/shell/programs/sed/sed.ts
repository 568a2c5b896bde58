// sed as in GNU. Receives options, a script and files; prints the lines that the script produces, or changes the files.
// Invariant: a file that is changed in place is written once, after the script has ended.
import type { ExecResult } from "just-bash/browser"
import { lineEnd } from "../coreutils/head-tail.ts"
import { decode } from "../grep-lines.ts"
import { type Line, SedRun } from "./sed-run.ts"
import { type SedCommand, SedParser } from "./sed-script.ts"
import { Output } from "./sed-text.ts"
import {
  bytes,
  type Context,
  linesOf,
  type Options,
  program,
  type Reading,
  readInput,
  readOptions,
  spendLines,
  spendsReads,
  UsageError,
  why,
} from "../program.ts"

const SED = {
  flags: "nErsuz",
  values: "efl",
  long: {
    quiet: "n",
    silent: "n",
    "regexp-extended": "E",
    separate: "s",
    unbuffered: "u",
    "null-data": "z",
    "null-terminated": "z",
    expression: "e=",
    file: "f=",
    "line-length": "l=",
    "in-place": "i=",
  },
}

/** Separates `-i`, alone or after other letters, from the suffix of the backup that may follow it. */
const spelled = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg) => {
    const [, flags, suffix] = /^-([nErsuz]*)i([\s\S]*)$/.exec(arg) ?? []
    if (suffix !== undefined) return [...(flags === "" ? [] : [`-${flags}`]), `--in-place=${suffix}`]
    return [arg === "--in-place" ? "--in-place=" : arg]
  })

const scriptOf = async (options: Options, context: Context): Promise<string> => {
  const texts: Array<string> = []
  for (const [name, value] of options.given) {
    if (name === "e") texts.push(value ?? "")
    if (name !== "f") continue
    try {
      texts.push(decode(await readInput(context, value ?? "")).replace(/\n$/, ""))
    } catch (error) {
      throw new UsageError(`couldn't open file ${value}: ${why(error)}`)
    }
  }
  return texts.join("\n")
}

const isText = (raw: string): boolean => decode(raw) !== raw || !/[\x80-\xff]/.test(raw)

export const sedProgram = program("sed", async (args, context): Promise<ExecResult> => {
  const options = readOptions(spelled(args), SED)
  const scripted = options.given.some(([name]) => name === "e" || name === "f")
  const operands = [...options.operands]
  const [first] = scripted ? [await scriptOf(options, context)] : operands.splice(0, 1)
  if (first === undefined) throw new UsageError("no script was given\nUsage: sed [OPTION]... {script} [input-file]...")
  const suffix = options.value("i")
  const end = options.has("z") ? "\0" : "\n"
  const quiet = options.has("n") || /^#n(?:\n|$)/.test(first)
  let [stderr, exitCode] = ["", 0]
  const inputs: Array<{ readonly name: string; readonly raw: string }> = []
  for (const name of operands.length > 0 ? operands : ["-"]) {
    try {
      inputs.push({ name, raw: await readInput(context, name) })
    } catch (error) {
      const reason = why(error)
      const folder =
        suffix === undefined ? `read error on ${name}: Is a directory` : `couldn't edit ${name}: not a regular file`
      stderr += `sed: ${reason === "Is a directory" ? folder : `can't read ${name}: ${reason}`}\n`
      exitCode = reason === "Is a directory" ? 4 : 2
    }
  }
  // If an input is not valid UTF-8, all inputs are processed as bytes, and so is the script.
  const textual = inputs.every(({ raw }) => isText(raw))
  const inner = (raw: string): string => (textual ? decode(raw) : raw)
  const outer = (text: string): string => (textual ? Buffer.from(text).toString("latin1") : text)
  const source = textual ? first : Buffer.from(first).toString("latin1")
  const commands = new SedParser(source, options.has("E") || options.has("r")).read()
  const { given, files } = await filesOf(commands, context, inner)
  const groups = suffix !== undefined || options.has("s") ? inputs.map((input) => [input]) : [inputs]
  const stdout = new Output()
  const standard = files.get("/dev/stdout") ?? stdout
  let read: Pick<Reading, "internalStdinConsumed"> = {}
  for (const group of groups) {
    const lines = group.flatMap(({ name, raw }, at): ReadonlyArray<Line> => {
      const texts = linesOf(inner(raw), end)
      const open = raw !== "" && !raw.endsWith(end) && at === group.length - 1
      return texts.map((text, index) => ({ text, file: name, ended: !open || index < texts.length - 1 }))
    })
    spendLines(context, "sed", lines.length)
    const out = suffix === undefined ? standard : new Output()
    const run = new SedRun({ lines, commands, quiet, end, given, files, out, spend: spendsReads(context, "sed") })
    run.run()
    const [only] = group
    if (suffix !== undefined && only !== undefined) await changed(context, only, suffix, outer(out.text))
    if (run.quit) {
      if (inputs.length === 1 && only?.name === "-") read = { internalStdinConsumed: lineEnd(only.raw, run.line, end) }
      exitCode = run.exitCode === 0 ? exitCode : run.exitCode
      break
    }
  }
  for (const [name, output] of files) {
    if (name === "/dev/stdout") continue
    if (name === "/dev/stderr") stderr += output.text
    else
      await context.fs.writeFile(context.fs.resolvePath(context.cwd, name), Buffer.from(outer(output.text), "latin1"))
  }
  return { ...bytes(outer(standard.text), stderr, exitCode), ...read }
})

/** Opens the files that the script reads and writes. Files for writing are emptied even if nothing is written to them. */
const filesOf = async (commands: ReadonlyArray<SedCommand>, context: Context, inner: (raw: string) => string) => {
  const given = new Map<string, string>()
  const files = new Map<string, Output>()
  for (const { name, text, flags } of commands) {
    const file = name === "w" || name === "W" ? text : flags.file
    if (file !== "") files.set(file, new Output())
    if (name !== "r" && name !== "R") continue
    const raw = await readInput(context, text === "/dev/stdin" ? "-" : text).catch(() => null)
    if (raw !== null) given.set(text, inner(raw))
  }
  return { given, files }
}

const changed = async (
  { fs, cwd }: Context,
  { name, raw }: { readonly name: string; readonly raw: string },
  suffix: string,
  text: string,
): Promise<void> => {
  const folder = name.slice(0, name.lastIndexOf("/") + 1)
  const base = name.slice(folder.length)
  const copy = suffix.includes("*") ? suffix.replaceAll("*", base) : base + suffix
  const place = copy.includes("/") ? copy : folder + copy
  if (suffix !== "") await fs.writeFile(fs.resolvePath(cwd, place), Buffer.from(raw, "latin1"))
  if (text !== raw || suffix !== "") await fs.writeFile(fs.resolvePath(cwd, name), Buffer.from(text, "latin1"))
}
